/** Watches of custom kinds end when the definition changes what clients see, and go on otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const version = (name: string, storage = false, more: object = {}): object => ({
  name,
  served: true,
  storage,
  schema,
  ...more,
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.a.dev" },
  spec: {
    group: "a.dev",
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [version("v1", true), version("v2")],
  },
};

async function ask(server: ApiServer, method: string, path: string, body?: object): Promise<Response> {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return server.fetch(new Request(`http://in-process${path}`, init));
}

/** Watches a version; returns the names of its events up to the end of the watch, or up to the object `last`. */
async function namesOf(server: ApiServer, name: string): Promise<readonly string[]> {
  const { body } = await ask(server, "GET", `/apis/a.dev/${name}/things?watch=1`);
  const names: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    for (const line of decoder.decode(chunk as Uint8Array).split("\n")) {
      if (line === "") continue;
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
      names.push(`${type} ${object.metadata.name}`);
      if (object.metadata.name === "last") return names;
    }
  }
  return [...names, "end"];
}

/** In kube-apiserver 1.36.3, each of the first changes ends the watches of both versions, and the last do not. */
const changes: readonly { readonly name: string; readonly change: object; readonly ends: boolean }[] = [
  { name: "a version is withdrawn", change: { spec: { versions: [version("v1", true)] } }, ends: true },
  {
    name: "a version is not served",
    change: { spec: { versions: [version("v1", true), version("v2", false, { served: false })] } },
    ends: true,
  },
  {
    name: "a version is added",
    change: { spec: { versions: [version("v1", true), version("v2"), version("v3")] } },
    ends: true,
  },
  { name: "a short name is added", change: { spec: { names: { shortNames: ["th"] } } }, ends: true },
  { name: "a label is added", change: { metadata: { labels: { a: "b" } } }, ends: false },
];

for (const { name, change, ends } of changes) {
  test(`${name}: watches of all versions ${ends ? "end" : "go on"}`, async () => {
    await using server = await startApiServer({});
    await ask(server, "POST", definitions, definition);
    await ask(server, "POST", "/apis/a.dev/v1/things", thing("first"));
    const watches = Promise.all(["v1", "v2"].map((one) => namesOf(server, one)));
    await ask(server, "PATCH", `${definitions}/things.a.dev`, change);
    await ask(server, "POST", "/apis/a.dev/v1/things", thing("last"));
    const seen = ends ? ["ADDED first", "end"] : ["ADDED first", "ADDED last"];
    assert.deepEqual(await watches, [seen, seen]);
  });
}

test("watches see the deletion of objects with their definition before they end", async () => {
  await using server = await startApiServer({});
  await ask(server, "POST", definitions, definition);
  await ask(server, "POST", "/apis/a.dev/v1/things", thing("first"));
  const seen = namesOf(server, "v2");
  await ask(server, "DELETE", `${definitions}/things.a.dev`);
  assert.deepEqual(await seen, ["ADDED first", "DELETED first", "end"]);
});

function thing(name: string): object {
  return { apiVersion: "a.dev/v1", kind: "Thing", metadata: { name } };
}
