/** Node ports: each belongs to one service and is free again after release. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const services = "/api/v1/namespaces/default/services";

async function make(server: ApiServer, name: string, nodePort: number): Promise<number> {
  const spec = { type: "NodePort", ports: [{ port: 80, nodePort }] };
  return (await ask(server, "POST", services, { metadata: { name }, spec })).status;
}

/** Replaces the spec of a service. */
async function change(server: ApiServer, name: string, spec: object): Promise<void> {
  const { body } = await ask(server, "GET", `${services}/${name}`);
  const old = body as { spec: { clusterIP: string } };
  const { clusterIP } = old.spec;
  const next = { ...old, spec: { clusterIP, ...spec } };
  assert.equal((await ask(server, "PUT", `${services}/${name}`, next)).status, 200);
}

test("a node port is free after its service changes it, drops it or is deleted", async () => {
  await using server = await startApiServer();
  assert.equal(await make(server, "a", 30_001), 201);
  assert.equal(await make(server, "b", 30_001), 422);
  await change(server, "a", { type: "NodePort", ports: [{ port: 80, nodePort: 30_002 }] });
  assert.equal(await make(server, "b", 30_001), 201);
  assert.equal(await make(server, "c", 30_002), 422);
  await change(server, "a", { type: "ClusterIP", ports: [{ port: 80 }] });
  assert.equal(await make(server, "c", 30_002), 201);
  await ask(server, "DELETE", `${services}/c`);
  assert.equal(await make(server, "d", 30_002), 201);
});
