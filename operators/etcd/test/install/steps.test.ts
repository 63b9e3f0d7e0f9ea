import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { parseAllDocuments } from "yaml";
import { EtcdCluster } from "../../src/kinds/index.ts";

const manifest = join(import.meta.dirname, "../../manifests/steps.yaml");
const clusters = "/apis/etcd.capstan.dev/v1/namespaces/default/etcdclusters";

type Server = Awaited<ReturnType<typeof startApiServer>>;

function apply({ fetch }: Server, path: string, object: object): Promise<Response> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const url = `http://server${path}?fieldManager=test&force=true`;
  return fetch(new Request(url, { method: "PATCH", headers, body: JSON.stringify(object) }));
}

async function applyWell(server: Server, path: string, object: object): Promise<void> {
  const answer = await apply(server, path, object);
  assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
}

/** What the server says to whoever wakes so many sleeping members with a size; undefined when it lets them. */
async function refusalOf(server: Server, { sleeping, size }: { sleeping: number; size: number }) {
  const metadata = { name: `e${sleeping}`, namespace: "default" };
  const head = { apiVersion: "etcd.capstan.dev/v1", kind: "EtcdCluster", metadata };
  const path = `${clusters}/e${sleeping}`;
  await applyWell(server, path, { ...head, spec: { size: 0, version: "3.6.16" } });
  await applyWell(server, `${path}/status`, { ...head, status: { size: sleeping } });
  const answer = await apply(server, path, { ...head, spec: { size, version: "3.6.16" } });
  return answer.ok ? undefined : await answer.text();
}

test("whoever sleeps is woken with most of its members, and goes down in steps from there", async () => {
  await using server = await startApiServer();
  const crd = EtcdCluster.toCrd();
  await applyWell(server, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  const [policy, binding] = parseAllDocuments(await readFile(manifest, "utf8")).map(
    (document) => document.toJS() as { readonly metadata: { readonly name: string } },
  );
  assert.ok(policy && binding);
  const group = "/apis/admissionregistration.k8s.io/v1";
  await applyWell(server, `${group}/validatingadmissionpolicies/${policy.metadata.name}`, policy);
  await applyWell(server, `${group}/validatingadmissionpolicybindings/${binding.metadata.name}`, binding);
  const refused = await refusalOf(server, { sleeping: 7, size: 1 });
  assert.match(refused ?? "", /7 members sleep: wake them with at least 4, then go down in steps/u);
  assert.match((await refusalOf(server, { sleeping: 7, size: 3 })) ?? "", /at least 4/u);
  for (const [sleeping, size] of [
    [7, 4],
    [7, 7],
    [2, 1],
    [1, 3],
    [0, 3],
  ] as const)
    assert.equal(await refusalOf(server, { sleeping, size }), undefined, `${sleeping} to ${size}`);
});
