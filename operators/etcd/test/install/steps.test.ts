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

/** A server with the kind and the policies. */
async function startGuarded(): Promise<Server> {
  const server = await startApiServer();
  const crd = EtcdCluster.toCrd();
  await applyWell(server, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, crd);
  for (const document of parseAllDocuments(await readFile(manifest, "utf8"))) {
    const object = document.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } };
    const plural = object.kind.endsWith("Binding")
      ? "validatingadmissionpolicybindings"
      : "validatingadmissionpolicies";
    await applyWell(server, `/apis/admissionregistration.k8s.io/v1/${plural}/${object.metadata.name}`, object);
  }
  return server;
}

/** The server's error when a cluster with hibernated members is resumed with a size; undefined when it is accepted. */
async function refusalOf(server: Server, { sleeping, size }: { sleeping: number; size: number }) {
  const metadata = { name: `e${sleeping}`, namespace: "default" };
  const head = { apiVersion: "etcd.capstan.dev/v1", kind: "EtcdCluster", metadata };
  const path = `${clusters}/e${sleeping}`;
  await applyWell(server, path, { ...head, spec: { size: 0, version: "3.6.16" } });
  await applyWell(server, `${path}/status`, { ...head, status: { size: sleeping } });
  const answer = await apply(server, path, { ...head, spec: { size, version: "3.6.16" } });
  return answer.ok ? undefined : await answer.text();
}

test("a hibernated cluster resumes with most of its members, then shrinks in steps", async () => {
  await using server = await startGuarded();
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

test("a version that cannot read the data is rejected on write", async () => {
  await using server = await startGuarded();
  const head = (name: string) => ({
    apiVersion: "etcd.capstan.dev/v1",
    kind: "EtcdCluster",
    metadata: { name, namespace: "default" },
  });
  const changed = async (name: string, clusterVersion: string, version: string): Promise<string | undefined> => {
    const path = `${clusters}/${name}`;
    await applyWell(server, path, { ...head(name), spec: { version: "3.7.3" } });
    await applyWell(server, `${path}/status`, { ...head(name), status: { clusterVersion } });
    const answer = await apply(server, path, { ...head(name), spec: { version } });
    return answer.ok ? undefined : await answer.text();
  };
  assert.match((await changed("done", "3.7.0", "3.6.16")) ?? "", /of version 3\.7\.0 and cannot be read by 3\.6\.16/u);
  assert.equal(await changed("under-way", "3.6.0", "3.6.16"), undefined);
  assert.equal(await changed("patch", "3.7.0", "3.7.x"), undefined);
});
