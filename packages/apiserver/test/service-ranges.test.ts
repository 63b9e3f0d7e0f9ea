/** Servers that were told which addresses and ports services get. */
import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const services = "/api/v1/namespaces/default/services";

interface Served {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

function service(name: string, port: object = {}): object {
  return { metadata: { name }, spec: { type: "NodePort", ports: [{ port: 80, ...port }] } };
}

test("services get addresses of the network and ports of the range that the server was told", async () => {
  await using server = await startApiServer({ serviceNetwork: "10.96.7.0/28", nodePorts: "31000-31001" });
  const { body: own } = await ask(server, "GET", `${services}/kubernetes`);
  assert.equal((own as Served).spec.clusterIP, "10.96.7.1");
  assert.equal((await ask(server, "GET", "/apis/networking.k8s.io/v1/ipaddresses/10.96.7.1")).status, 200);
  const ports = new Set<number>();
  for (const name of ["a", "b"]) {
    const { body, status, text } = await ask(server, "POST", services, service(name));
    assert.equal(status, 201, text);
    assert.match((body as Served).spec.clusterIP, /^10\.96\.7\./);
    ports.add((body as Served).spec.ports[0]?.nodePort ?? 0);
  }
  assert.deepEqual(
    [...ports].toSorted((a, b) => a - b),
    [31000, 31001],
  );
  assert.match((await ask(server, "POST", services, service("c"))).text, /range is full/);
  const refused = await ask(server, "POST", services, service("d", { nodePort: 30000 }));
  assert.match(refused.text, /The range of valid ports is 31000-31001/);
});

test("state that is kept keeps its network, whatever a later start says", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-ranges-"));
  for (const serviceNetwork of ["10.96.0.0/24", "10.97.0.0/24"]) {
    await using server = await startApiServer({ data: folder.path, serviceNetwork });
    const { body } = await ask(server, "GET", `${services}/kubernetes`);
    assert.equal((body as Served).spec.clusterIP, "10.96.0.1");
  }
});

test("ranges that services cannot have keep the server from starting", async () => {
  await assert.rejects(startApiServer({ serviceNetwork: "10.0.0.0/31" }), { code: "BadNetwork" });
  await assert.rejects(startApiServer({ nodePorts: "9-1" }), { code: "BadPorts" });
});
