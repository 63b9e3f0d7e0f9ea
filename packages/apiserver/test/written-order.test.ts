/**
 * The order of validation errors for map entries. Go's order is random, but for a small map most responses have that of the body: seven
 * of eight responses of kube-apiserver 1.36.3 for a map of two.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const core = "/api/v1/namespaces/default";

/** Fields and values of the causes, in order. */
async function refused(server: ApiServer, method: string, path: string, body: unknown): Promise<readonly string[]> {
  const reply = await ask(server, method, path, body);
  assert.equal(reply.status, 422, reply.text);
  const { details } = reply.body as { details: { causes: { field: string; message: string }[] } };
  return details.causes.map(({ field, message }) => `${field} ${/"([^"]*)"/.exec(message)?.[1] ?? ""}`);
}

test("map entries are rejected in the order of the body", async () => {
  await using server = await startApiServer();
  const labels = { "z b": "1", "a b": "2" };
  assert.deepEqual(
    await refused(server, "POST", `${core}/configmaps`, { metadata: { name: "m", labels }, data: labels }),
    ["metadata.labels z b", "metadata.labels a b", "data[z b] z b", "data[a b] a b"],
  );
  await ask(server, "POST", `${core}/configmaps`, { metadata: { name: "m" } });
  assert.deepEqual(await refused(server, "PUT", `${core}/configmaps/m`, { metadata: { name: "m" }, data: labels }), [
    "data[z b] z b",
    "data[a b] a b",
  ]);
});

test("fields that are filled in from a map keep its order", async () => {
  await using server = await startApiServer();
  const resources = { limits: { memory: "-1", cpu: "-1" } };
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i", resources }] } };
  const at = "spec.containers[0].resources";
  assert.deepEqual(await refused(server, "POST", `${core}/pods`, pod), [
    `${at}.limits[memory] -1`,
    `${at}.limits[cpu] -1`,
    `${at}.requests[memory] -1`,
    `${at}.requests[cpu] -1`,
  ]);
});

test("a map in an error value is sorted", async () => {
  await using server = await startApiServer();
  const spec = { capacity: { zz: "-1", aa: "-1" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } };
  const { text } = await ask(server, "POST", "/api/v1/persistentvolumes", { metadata: { name: "v" }, spec });
  assert.match(text, /Unsupported value: \{\\"aa\\":\\"-1\\",\\"zz\\":\\"-1\\"\}.*capacity\[zz\].*capacity\[aa\]/);
});

test("patches sort the names of a map", async () => {
  await using server = await startApiServer();
  await ask(server, "POST", `${core}/configmaps`, { metadata: { name: "m" } });
  const response = await server.fetch(
    new Request(`http://in-process${core}/configmaps/m`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ data: { "z b": "1", "a b": "2" } }),
    }),
  );
  assert.match(await response.text(), /data\[a b\].*data\[z b\]/);
});
