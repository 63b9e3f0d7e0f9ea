import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { parseAllDocuments } from "yaml";
import { EtcdCluster } from "../../src/kinds/index.ts";

const manifest = join(import.meta.dirname, "../../manifests/warnings.yaml");

type Server = Awaited<ReturnType<typeof startApiServer>>;

async function apply({ fetch }: Server, path: string, object: object): Promise<Response> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const url = `http://server${path}?fieldManager=test`;
  const answer = await fetch(new Request(url, { method: "PATCH", headers, body: JSON.stringify(object) }));
  assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
  return answer;
}

/** The server's warning for a cluster of this size. */
async function warningOf(server: Server, size: number): Promise<string | null> {
  const object = {
    apiVersion: "etcd.capstan.dev/v1",
    kind: "EtcdCluster",
    metadata: { name: `e${size}`, namespace: "default" },
    spec: { size, version: "3.6.16" },
  };
  const path = `/apis/etcd.capstan.dev/v1/namespaces/default/etcdclusters/e${size}`;
  return (await apply(server, path, object)).headers.get("warning");
}

test("an even size is accepted with a warning", async () => {
  await using server = await startApiServer();
  const crd = EtcdCluster.toCrd();
  await apply(server, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  const [policy, binding] = parseAllDocuments(await readFile(manifest, "utf8")).map(
    (document) => document.toJS() as { readonly metadata: { readonly name: string } },
  );
  assert.ok(policy && binding);
  const group = "/apis/admissionregistration.k8s.io/v1";
  await apply(server, `${group}/validatingadmissionpolicies/${policy.metadata.name}`, policy);
  await apply(server, `${group}/validatingadmissionpolicybindings/${binding.metadata.name}`, binding);
  for (const size of [2, 4, 6]) {
    const text = `${size} members survive no more losses than ${size - 1}: use an odd size`;
    const warning = await warningOf(server, size);
    assert.ok(warning?.includes(text), `${size}: ${warning}`);
  }
  for (const size of [0, 1, 3, 5, 7]) assert.equal(await warningOf(server, size), null);
});
