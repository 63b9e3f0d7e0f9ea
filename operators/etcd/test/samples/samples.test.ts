/** The samples: the API server accepts each of them unchanged, and the clusters become available. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import type { ApplyOf } from "capstan";
import { Secret } from "capstan/kinds/v1";
import { createAuthority, validFor } from "capstan/pki";
import { parseAllDocuments } from "yaml";
import { EtcdBackup, EtcdCluster, EtcdOperation, EtcdRestore } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "../world/world.ts";
import type { EtcdWorld } from "../world/world.ts";

const folder = join(import.meta.dirname, "../../samples");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: NonNullable<ApplyOf<typeof EtcdCluster>["spec"]> & { readonly size: number };
}

async function objectsIn(file: string): Promise<readonly Sample[]> {
  const documents = parseAllDocuments(await readFile(join(folder, file), "utf8"));
  return documents.map((document) => document.toJS() as Sample);
}

/** The server's response to a new object: its status and, for an error, its message. */
async function post(server: ApiServer, path: string, object: object): Promise<string> {
  const body = JSON.stringify(object);
  const headers = { "content-type": "application/json" };
  const answer = await server.fetch(new Request(`http://server${path}`, { method: "POST", headers, body }));
  return answer.status === 201 ? "201" : `${answer.status}: ${await answer.text()}`;
}

/** `EtcdCluster` is served at `etcdclusters`. */
function pathOf({ apiVersion, kind }: Sample): string {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return `${root}/namespaces/default/${kind.toLowerCase()}s?fieldValidation=Strict`;
}

test("the API server accepts every sample without unknown fields", async () => {
  await using server = await startApiServer();
  for (const kind of [EtcdCluster, EtcdBackup, EtcdRestore, EtcdOperation]) {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert.equal(await post(server, path, kind.toCrd()), "201");
  }
  assert.ok(files.length > 10);
  for (const file of files) {
    for (const object of await objectsIn(file)) assert.equal(await post(server, pathOf(object), object), "201", file);
  }
});

/** The Secrets that the user has to provide: certificates for all names of the cluster. */
async function giveCertificates({ world }: EtcdWorld, cluster: string, secrets: readonly string[]): Promise<void> {
  const now = new Date(world.clock.wall());
  const authority = createAuthority({ commonName: "authority of the house", now, days: 30 });
  const dnsNames = [`*.${cluster}.default.svc`, `${cluster}-client.default.svc`];
  for (const name of secrets) {
    const leaf = authority.issue({
      commonName: name,
      usages: ["server", "client"],
      dnsNames,
      ...validFor({ now, days: 30 }),
    });
    const texts = { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey, "ca.crt": authority.certificate };
    const data = Object.entries(texts).map(([entry, text]) => [entry, Buffer.from(text).toString("base64")]);
    await world.apply(Secret, name, { data: Object.fromEntries(data) });
  }
}

for (const file of files) {
  const clusters = (await objectsIn(file)).filter(({ kind }) => kind === "EtcdCluster");
  for (const { metadata, spec } of clusters) {
    test(`samples/${file}: ${metadata.name} becomes available`, async () => {
      await using bed = await startWorld();
      await giveCertificates(bed, metadata.name, Object.values(spec.tls?.secrets ?? {}));
      await bed.world.apply(EtcdCluster, metadata.name, { spec });
      for (let second = 0; second < 600 && !isSettled(await bed.cluster(metadata.name)); second++) await bed.pass(1);
      const { status } = await bed.cluster(metadata.name);
      assert.ok(isSettled(await bed.cluster(metadata.name)), JSON.stringify(status?.conditions));
      assert.equal(bed.etcd.processes.size, spec.size);
    });
  }
}
