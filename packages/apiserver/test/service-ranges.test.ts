/** Servers with configured service CIDRs and node port ranges. */
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

test("services get addresses and node ports of the configured ranges", async () => {
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

test("with dual-stack CIDRs, services get both families on request", async () => {
  await using server = await startApiServer({ serviceNetwork: "10.96.7.0/28,fd00:7::/112" });
  const make = async (name: string, spec: object): Promise<{ ipFamilies: string[]; clusterIPs: string[] }> => {
    const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
    const made = await ask(server, "POST", services, body);
    assert.equal(made.status, 201, made.text);
    return (made.body as { spec: { ipFamilies: string[]; clusterIPs: string[] } }).spec;
  };
  assert.deepEqual((await make("one", {})).ipFamilies, ["IPv4"]);
  const both = await make("both", { ipFamilyPolicy: "RequireDualStack" });
  assert.deepEqual(both.ipFamilies, ["IPv4", "IPv6"]);
  assert.match(both.clusterIPs[0] ?? "", /^10\.96\.7\./);
  assert.match(both.clusterIPs[1] ?? "", /^fd00:7::/);
  const second = await make("second", { ipFamilies: ["IPv6"], clusterIP: "fd00:7::77" });
  assert.deepEqual(second.clusterIPs, ["fd00:7::77"]);
  const { body } = await ask(server, "GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
  assert.deepEqual((body as { spec: { cidrs: string[] } }).spec.cidrs, ["10.96.7.0/28", "fd00:7::/112"]);
});

test("stored state keeps its service CIDR when a later start configures another", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-ranges-"));
  for (const serviceNetwork of ["10.96.0.0/24", "10.97.0.0/24"]) {
    await using server = await startApiServer({ data: folder.path, serviceNetwork });
    const { body } = await ask(server, "GET", `${services}/kubernetes`);
    assert.equal((body as Served).spec.clusterIP, "10.96.0.1");
  }
});

test("invalid ranges fail the start of the server", async () => {
  await assert.rejects(startApiServer({ serviceNetwork: "10.0.0.0/31" }), { code: "BadNetwork" });
  await assert.rejects(startApiServer({ nodePorts: "9-1" }), { code: "BadPorts" });
});
