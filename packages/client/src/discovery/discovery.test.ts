import assert from "node:assert/strict";
import { test } from "node:test";
import { testHost } from "../../test/host.ts";
import { createClient } from "../client.ts";
import type { Client } from "../client.ts";
import { isApiError } from "../error/api-error.ts";
import { bodyOfBytes } from "../transport/body.ts";
import { inProcess } from "../transport/in-process.ts";

/** A server with fixed responses; other paths return 404. */
function serving(answers: Record<string, unknown>): {
  client: Client;
  asked: string[];
  host: ReturnType<typeof testHost>;
} {
  const asked: string[] = [];
  const host = testHost();
  const transport = inProcess((request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const answer = answers[pathname];
    if (answer === 503) return new Response("gone", { status: 503, headers: { "retry-after": "100" } });
    return answer === undefined ? new Response("404 page not found", { status: 404 }) : Response.json(answer);
  });
  return { client: createClient(transport, { host }), asked, host };
}

const resource = (plural: string, kind: string): object => ({
  resource: plural,
  responseKind: { group: "", version: "", kind },
  scope: "Namespaced",
  verbs: ["get"],
  subresources: [{ subresource: "status" }],
});
const group = (name: string, ...versions: [string, ...object[]][]): object => ({
  metadata: { name },
  versions: versions.map(([version, ...resources]) => ({ version, resources })),
});
const aggregated = (...items: object[]): object => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items,
});

test("aggregated discovery takes two requests, preferred versions first", async () => {
  const { client, asked } = serving({
    "/api": aggregated(group("", ["v1", resource("pods", "Pod")])),
    "/apis": aggregated(
      group("a.io", ["v2", resource("as", "A")], ["v1", resource("as", "A"), { resource: "odd", scope: "Cluster" }]),
    ),
  });
  assert.equal((await client.resourceFor({ group: "a.io", kind: "A" })).version, "v2");
  assert.equal((await client.resourceFor({ group: "a.io", version: "v1", kind: "A" })).version, "v1");
  const pod = await client.resourceFor({ group: "", kind: "Pod" });
  assert.deepEqual(pod.subresources, ["status"]);
  assert.equal((await client.resources()).length, 3, "a resource without a kind is left out");
  assert.deepEqual(asked, ["/api", "/apis"]);
});

test("legacy discovery asks group by group, and an unavailable group hides no other", async () => {
  const groupVersion = (name: string): object => ({ groupVersion: name, version: name.split("/")[1] });
  const { client } = serving({
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        {
          name: "a.io",
          versions: [groupVersion("a.io/v1"), groupVersion("a.io/v2")],
          preferredVersion: groupVersion("a.io/v2"),
        },
        { name: "b.io", versions: [groupVersion("b.io/v1")] },
      ],
    },
    "/api/v1": {
      groupVersion: "v1",
      resources: [
        { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get"], shortNames: ["po"] },
        { name: "pods/log", namespaced: true, kind: "Pod", verbs: ["get"] },
      ],
    },
    "/apis/a.io/v1": { groupVersion: "a.io/v1", resources: [{ name: "as", namespaced: false, kind: "A" }] },
    "/apis/a.io/v2": { groupVersion: "a.io/v2", resources: [{ name: "as", namespaced: false, kind: "A" }] },
    "/apis/b.io/v1": 503,
  });
  const pod = await client.resourceFor({ group: "", version: "v1", kind: "Pod" });
  assert.deepEqual(
    { plural: pod.plural, scope: pod.scope, subresources: pod.subresources },
    { plural: "pods", scope: "Namespaced", subresources: ["log"] },
  );
  const a = await client.resourceFor({ group: "a.io", kind: "A" });
  assert.deepEqual({ version: a.version, scope: a.scope }, { version: "v2", scope: "Cluster" });
});

test("a missing kind is requested again, with a rate limit", async () => {
  const answers: Record<string, unknown> = { "/api": aggregated(), "/apis": aggregated() };
  const { client, asked, host } = serving(answers);
  const missing = (): Promise<void> =>
    assert.rejects(client.resourceFor({ group: "a.io", kind: "A" }), (error) => isApiError(error, "UnknownKind"));
  await missing();
  await missing();
  assert.equal(asked.length, 2);
  answers["/apis"] = aggregated(group("a.io", ["v1", resource("as", "A")]));
  await host.clock.advance(2000);
  assert.equal((await client.resourceFor({ group: "a.io", kind: "A" })).plural, "as");
  assert.equal(asked.length, 4);
});

test("callers of a shared request give up individually", async () => {
  const answered = Promise.withResolvers<void>();
  const ended: AbortSignal[] = [];
  const host = testHost();
  const client = createClient(
    {
      async request({ signal }) {
        if (signal !== undefined) ended.push(signal);
        await answered.promise;
        return { status: 200, headers: {}, body: bodyOfBytes(JSON.stringify(aggregated())) };
      },
    },
    { host },
  );
  const abort = new AbortController();
  const first = client.resources({ signal: abort.signal });
  const second = client.resources({ timeoutMs: 1000 });
  const third = client.resources({ timeoutMs: 100_000 });
  first.catch(() => {});
  abort.abort(new Error("the first gave up"));
  await assert.rejects(first, /the first gave up/u);
  const refused = assert.rejects(second, (error) => isApiError(error, "DeadlineExceeded"));
  await host.clock.advance(2000);
  await refused;
  assert.ok(ended.every(({ aborted }) => !aborted));
  answered.resolve();
  assert.deepEqual(await third, []);
});

test("a request without callers is cancelled", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const client = createClient(
    {
      request: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
          if (signal !== undefined) asked.resolve(signal);
        }),
    },
    { host: testHost() },
  );
  const abort = new AbortController();
  const only = client.resources({ signal: abort.signal });
  only.catch(() => {});
  const signal = await asked.promise;
  abort.abort(new Error("enough"));
  await assert.rejects(only, /enough/u);
  assert.ok(signal.aborted);
});
