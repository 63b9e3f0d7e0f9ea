import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind, StoredObject } from "@capstan/model";
import { createClient } from "./client.ts";
import { allNamespaces } from "./call/target.ts";
import { isApiError } from "./error/api-error.ts";
import { inProcess } from "./transport/in-process.ts";

interface ConfigMap extends StoredObject {
  readonly data?: Readonly<Record<string, string>>;
}
const ConfigMap: Kind<ConfigMap, { readonly data?: Record<string, string> }, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};

const configMap = (name: string, resourceVersion: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion },
});

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly type: string | null;
  readonly body: unknown;
}

/** A server that responds as the test says and records its requests. */
function serverOf(answer: (request: Request) => Response | Promise<Response>): {
  client: ReturnType<typeof createClient>;
  seen: Seen[];
} {
  const seen: Seen[] = [];
  const transport = inProcess(async (request) => {
    const text = await request.clone().text();
    const { pathname, search } = new URL(request.url);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    seen.push({ method: request.method, path: pathname + search, type: request.headers.get("content-type"), body });
    return answer(request);
  });
  return { client: createClient(transport), seen };
}

test("get reads one object from the path of its kind", async () => {
  const { client, seen } = serverOf(() => Response.json(configMap("a", "7")));
  const object = await client.get(ConfigMap, { namespace: "default", name: "a" });
  assert.equal(object.metadata.resourceVersion, "7");
  assert.equal(seen[0]?.path, "/api/v1/namespaces/default/configmaps/a");
});

test("list follows the continue token and omits the resource version", async () => {
  const { client, seen } = serverOf((request) => {
    const last = new URL(request.url).searchParams.get("continue") === "next";
    const metadata = last ? { resourceVersion: "9" } : { resourceVersion: "9", continue: "next" };
    return Response.json({ kind: "ConfigMapList", metadata, items: [configMap(last ? "b" : "a", "1")] });
  });
  const names: string[] = [];
  for await (const { metadata } of client.list(ConfigMap, {
    namespace: allNamespaces,
    limit: 1,
    resourceVersion: "9",
  })) {
    names.push(metadata.name);
  }
  assert.deepEqual(names, ["a", "b"]);
  assert.deepEqual(
    seen.map(({ path }) => path),
    ["/api/v1/configmaps?limit=1&resourceVersion=9", "/api/v1/configmaps?limit=1&continue=next"],
  );
});

test("watch yields events and bookmarks in order and ends with the stream", async () => {
  const lines = [
    { type: "ADDED", object: configMap("a", "1") },
    { type: "BOOKMARK", object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "5" } } },
    { type: "DELETED", object: configMap("a", "6") },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const { client, seen } = serverOf(() => new Response(text));
  const events = await Array.fromAsync(client.watch(ConfigMap, { namespace: "default", sendInitialEvents: true }));
  assert.deepEqual(
    events.map(({ type }) => type),
    ["ADDED", "BOOKMARK", "DELETED"],
  );
  assert.equal(
    seen[0]?.path,
    "/api/v1/namespaces/default/configmaps?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  );
});

test("each write has its method, content type and query", async () => {
  const { client, seen } = serverOf(() => Response.json(configMap("a", "1")));
  const metadata = { name: "a", namespace: "default" };
  const target = { name: "a", namespace: "default" };
  await client.create(ConfigMap, { metadata, data: { x: "1" } }, { dryRun: true, fieldValidation: "Strict" });
  await client.update(ConfigMap, { metadata, data: { x: "2" } });
  await client.patch(ConfigMap, target, { json: [{ op: "remove", path: "/data/x" }] });
  await client.patch(ConfigMap, target, { merge: { data: { x: null } } });
  await client.patch(ConfigMap, target, { strategic: { data: { x: null } } }, { subresource: "status" });
  await client.apply(ConfigMap, { metadata, data: { x: "3" } }, { fieldManager: "me", force: true });
  await client.delete(ConfigMap, { ...target, propagationPolicy: "Foreground" });
  await client.deleteCollection(ConfigMap, { namespace: "default", labelSelector: "app=a" });
  const base = "/api/v1/namespaces/default/configmaps";
  assert.deepEqual(
    seen.map(({ method, path, type }) => `${method} ${path} ${type}`),
    [
      `POST ${base}?dryRun=All&fieldValidation=Strict application/json`,
      `PUT ${base}/a application/json`,
      `PATCH ${base}/a application/json-patch+json`,
      `PATCH ${base}/a application/merge-patch+json`,
      `PATCH ${base}/a/status application/strategic-merge-patch+json`,
      `PATCH ${base}/a?fieldManager=me&force=true application/apply-patch+yaml`,
      `DELETE ${base}/a application/json`,
      `DELETE ${base}?labelSelector=app%3Da application/json`,
    ],
  );
  assert.deepEqual(seen[5]?.body, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: "3" } });
});

for (const name of ["", "..", "a/status", "../secrets/a", "a%2Fstatus", undefined]) {
  test(`an invalid name never reaches another resource: ${name}`, async () => {
    const { client, seen } = serverOf(() => Response.json(configMap("a", "1")));
    const invalid = (error: unknown): boolean => isApiError(error, "Invalid");
    const target = { namespace: "default", name } as { readonly namespace: string; readonly name: string };
    await assert.rejects(async () => client.get(ConfigMap, target), invalid);
    await assert.rejects(async () => client.delete(ConfigMap, target), invalid);
    if (name !== undefined) {
      await assert.rejects(async () => client.list(ConfigMap, { namespace: name }).all(), invalid);
      await assert.rejects(async () => client.patch(ConfigMap, target, { merge: {} }), invalid);
    }
    assert.deepEqual(seen, []);
  });
}
