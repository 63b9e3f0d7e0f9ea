import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { startApiServer, type ApiServer } from "../src/index.ts";
import type { OutgoingCall } from "../src/outgoing/outgoing.ts";
import { ask, askUntil } from "./ask.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const apiService = {
  metadata: { name: "v1.things.dev" },
  spec: {
    group: "things.dev",
    version: "v1",
    service: { namespace: "default", name: "things" },
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
  },
};
const document = {
  kind: "APIResourceList",
  groupVersion: "things.dev/v1",
  resources: [
    { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get", "list"] },
    { name: "things/status", singularName: "", namespaced: true, kind: "Thing", verbs: ["get"] },
  ],
};

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function conditionIn(body: unknown): Condition | undefined {
  return (body as { status?: { conditions?: readonly Condition[] } }).status?.conditions?.[0];
}

async function addService(server: ApiServer): Promise<void> {
  const service = { metadata: { name: "things" }, spec: { ports: [{ port: 443 }] } };
  assert.equal((await ask(server, "POST", "/api/v1/namespaces/default/services", service)).status, 201);
}

async function addEndpoints(server: ApiServer): Promise<void> {
  const slice = {
    metadata: { name: "things", labels: { "kubernetes.io/service-name": "things" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.1.1"] }],
    ports: [{ name: "", port: 443 }],
  };
  const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  assert.equal((await ask(server, "POST", path, slice)).status, 201);
}

test("an aggregated group is unavailable until its service responds", async () => {
  const calls: OutgoingCall[] = [];
  await using server = await startApiServer({
    resolveService: () => ({ host: "10.1.1.1", port: 443 }),
    async outgoing(call) {
      calls.push(call);
      const { pathname } = new URL(call.url);
      const body = pathname === "/apis/things.dev/v1" ? document : { kind: "ThingList", items: [] };
      return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(body)) };
    },
  });
  const path = `${services}/v1.things.dev`;
  await ask(server, "POST", services, apiService);
  const alone = await askUntil(server, path, ({ body }) => conditionIn(body) !== undefined);
  assert.deepEqual(conditionIn(alone.body)?.reason, "ServiceNotFound");
  assert.equal(conditionIn(alone.body)?.message, 'service/things in "default" is not present');
  const refused = await ask(server, "GET", "/apis/things.dev/v1/things");
  assert.equal(refused.status, 503);
  assert.equal(refused.text, "service unavailable\n");

  await addService(server);
  const lonely = await askUntil(server, path, ({ body }) => conditionIn(body)?.reason === "EndpointsNotFound");
  assert.equal(conditionIn(lonely.body)?.message, 'cannot find endpointslices for service/things in "default"');

  await addEndpoints(server);
  const passed = await askUntil(server, path, ({ body }) => conditionIn(body)?.status === "True");
  assert.equal(conditionIn(passed.body)?.message, "all checks passed");
  const answered = await ask(server, "GET", "/apis/things.dev/v1/namespaces/default/things?limit=1");
  assert.equal(answered.status, 200);
  assert.deepEqual(answered.body, { kind: "ThingList", items: [] });
  const last = calls.at(-1);
  assert.equal(last?.url, "https://things.default.svc:443/apis/things.dev/v1/namespaces/default/things?limit=1");
  assert.equal(last?.headers["x-remote-user"], "kubernetes-admin");
  assert.deepEqual(last?.headers["x-remote-group"], ["system:masters", "system:authenticated"]);
  assert.deepEqual(last?.connectTo, { host: "10.1.1.1", port: 443 });
  assert.equal(last?.headers["x-forwarded-host"], "10.1.1.1:443");
  assert.equal(last?.headers["x-forwarded-proto"], "https");
  assert.equal(last?.headers["x-forwarded-uri"], "/apis/things.dev/v1/namespaces/default/things");
});

test("a redirect by an aggregated server is rejected with 502", async () => {
  await using server = await startApiServer({
    resolveService: () => ({ host: "10.1.1.1", port: 443 }),
    async outgoing({ url }) {
      const isElsewhere = url.endsWith("/elsewhere");
      const headers: { [name: string]: string } = isElsewhere ? { location: "https://10.1.1.2/" } : {};
      return { status: isElsewhere ? 302 : 200, headers, body: Buffer.from(JSON.stringify(document)) };
    },
  });
  await addService(server);
  await addEndpoints(server);
  await ask(server, "POST", services, apiService);
  await askUntil(server, `${services}/v1.things.dev`, ({ body }) => conditionIn(body)?.status === "True");
  const { status, headers, text } = await ask(server, "GET", "/apis/things.dev/v1/things/elsewhere");
  assert.equal(status, 502);
  assert.equal(headers.get("location"), null);
  assert.equal(text, "the backend attempted to redirect this request, which is not permitted");
});

test("forwarded requests match kube-apiserver, and gzip is decoded if not accepted", async () => {
  const calls: OutgoingCall[] = [];
  await using server = await startApiServer({
    resolveService: () => ({ host: "10.1.1.1", port: 443 }),
    async outgoing(call) {
      calls.push(call);
      const packed = gzipSync(JSON.stringify(document));
      const headers = { "content-encoding": "gzip", "audit-id": "theirs", "cache-control": "max-age=3" };
      if (call.streams !== true) return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
      return {
        status: 200,
        headers,
        body: Buffer.of(),
        chunks: Readable.from([packed.subarray(0, 20), packed.subarray(20)]),
      };
    },
  });
  await addService(server);
  await addEndpoints(server);
  await ask(server, "POST", services, apiService);
  await askUntil(server, `${services}/v1.things.dev`, ({ body }) => conditionIn(body)?.status === "True");
  const group = "/apis/things.dev/v1";
  const plain = await ask(server, "GET", `${group}/things//a%2Fb?b=2&a=x%20y&b=1`);
  assert.deepEqual(plain.body, document);
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.match(plain.headers.get("audit-id") ?? "", /^[0-9a-f-]{36}, theirs$/);
  assert.equal(plain.headers.get("cache-control"), "no-cache, private, max-age=3");
  const asked = calls.at(-1);
  assert.equal(asked?.url, `https://things.default.svc:443${group}/things//a/b?a=x+y&b=2&b=1`);
  assert.equal(asked?.host, "10.1.1.1:443");
  assert.equal(asked?.headers["accept-encoding"], "gzip");
  assert.equal(asked?.headers["x-forwarded-uri"], `${group}/things/a/b`);
  for (const [header, value] of [
    ["accept-encoding", "gzip"],
    ["accept-encoding", "br"],
    ["range", "bytes=0-1"],
  ] as const) {
    const given = await server.fetch(new Request(`http://server${group}/things`, { headers: { [header]: value } }));
    assert.equal(given.headers.get("content-encoding"), "gzip", "as it came");
    assert.equal(calls.at(-1)?.headers["accept-encoding"], header === "range" ? undefined : value);
    await given.body?.cancel();
  }
});

test("discovery lists the groups of aggregated servers", async () => {
  await using server = await startApiServer({
    resolveService: () => ({ host: "10.1.1.1", port: 443 }),
    outgoing: async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) }),
  });
  await addService(server);
  await addEndpoints(server);
  await ask(server, "POST", services, apiService);
  await askUntil(server, `${services}/v1.things.dev`, ({ body }) => conditionIn(body)?.status === "True");
  const { body: list } = await ask(server, "GET", "/apis");
  const { groups } = list as { groups: readonly { name: string; versions: unknown }[] };
  const group = groups.find(({ name }) => name === "things.dev");
  assert.deepEqual(group?.versions, [{ groupVersion: "things.dev/v1", version: "v1" }]);
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const whole = await server.fetch(new Request("http://in-process/apis", { headers: { accept } }));
  const { items } = (await whole.json()) as { items: readonly { metadata: { name: string }; versions: unknown }[] };
  assert.deepEqual(items.find(({ metadata }) => metadata.name === "things.dev")?.versions, [
    {
      version: "v1",
      resources: [
        {
          resource: "things",
          responseKind: { group: "things.dev", version: "v1", kind: "Thing" },
          scope: "Namespaced",
          singularResource: "thing",
          verbs: ["get", "list"],
          subresources: [
            {
              subresource: "status",
              responseKind: { group: "things.dev", version: "v1", kind: "Thing" },
              verbs: ["get"],
            },
          ],
        },
      ],
      freshness: "Current",
    },
  ]);
});

test("a CRD group has its own APIService while it is served", async () => {
  await using server = await startApiServer();
  const definition = {
    metadata: { name: "gadgets.own.dev" },
    spec: {
      group: "own.dev",
      scope: "Namespaced",
      names: { plural: "gadgets", kind: "Gadget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  const found = await askUntil(server, `${services}/v1.own.dev`, ({ status }) => status === 200);
  assert.equal(conditionIn(found.body)?.reason, "Local");
  await ask(server, "DELETE", `${definitions}/gadgets.own.dev`);
  await askUntil(server, `${services}/v1.own.dev`, ({ status }) => status === 404);
});
