/** Backup to an S3-compatible server and to a volume; everything destroyed; restored from the objects alone; compared key by key. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createAuthority, validFor } from "capstan/pki";
import { LONG_STORY_GROUNDS } from "../stories/ground.ts";
import { Scene } from "../stories/scene.ts";
import { buildBackupImages, S3_IMAGE } from "./images.ts";
import { anyMember, contentOf, ended, makeClaim, put, read } from "./objects.ts";

const S3 = { bucket: "backups", accessKeyId: "capstan", secretAccessKey: "a secret/with+signs" };

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: backups restore from a bucket, from a volume and in place`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-images-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const scene = await Scene.open(t, await start(t, await buildBackupImages(folder)));
    await startStore(scene);
    const s3 = {
      bucket: S3.bucket,
      prefix: "etcd/",
      endpoint: `https://s3.${scene.ground.namespace}.svc:7070`,
      credentials: "s3-credentials",
      ca: { name: "s3-ca", key: "authority" },
    };
    const encryption = { name: "backup-key", key: "now" };
    const volume = { claim: "backups", path: "etcd" };

    await scene.apply({ size: 3, version: "3.6.16", options: { "max-txn-ops": "200" } });
    await scene.settled("three members are well");
    const before = await fill(scene);
    await put(scene, ["EtcdBackup", "to-bucket"], {
      cluster: scene.name,
      store: { s3 },
      encryption,
      compression: "zstd",
      verify: "restore",
    });
    await put(scene, ["EtcdBackup", "to-volume"], { cluster: scene.name, store: { volume } });
    for (const backup of ["to-bucket", "to-volume"]) await ended(scene, ["EtcdBackup", backup]);
    assert.equal((await read(scene, ["EtcdBackup", "to-bucket"])).last?.verified, "restore");

    for (const [restore, source] of [
      ["from-bucket", { store: { s3 }, encryption }],
      ["from-volume", { store: { volume } }],
    ] as const) {
      await destroy(scene);
      await put(scene, ["EtcdRestore", restore], { cluster: scene.name, ...source });
      await ended(scene, ["EtcdRestore", restore]);
      const made = await scene.settled("three members are well again");
      assert.deepEqual([made.spec.size, made.spec.version, made.spec.options], [3, "3.6.16", { "max-txn-ops": "200" }]);
      assert.deepEqual(await contentOf(scene), before);
    }

    await using writer = await anyMember(scene);
    await taken(scene, () => writer.kv.put("key/0", "spoiled"));
    await taken(scene, () => writer.kv.delete({ key: "key/1" }));
    await put(scene, ["EtcdRestore", "in-place"], {
      cluster: scene.name,
      store: { s3 },
      // The cluster was restored from this backup, so the backup belongs to an earlier cluster of the same name and the spec has to name
      // it.
      backup: (await read(scene, ["EtcdBackup", "to-bucket"])).last?.name,
      encryption,
      overwrite: scene.name,
    });
    await ended(scene, ["EtcdRestore", "in-place"]);
    await scene.settled("three members are well once more");
    assert.deepEqual(await contentOf(scene), before);
  });
}

async function fill(scene: Scene): Promise<readonly string[]> {
  await using client = await anyMember(scene);
  for (let at = 0; at < 200; at++) await taken(scene, () => client.kv.put(`key/${at}`, randomBytes(500)));
  for (let at = 50; at < 100; at++) await taken(scene, () => client.kv.delete({ key: `key/${at}` }));
  return contentOf(scene);
}

/** Waits until a write succeeds: on a busy machine the leader may change, and no member accepts writes for a moment. */
async function taken(scene: Scene, write: () => Promise<object>): Promise<void> {
  await scene.until("a write is taken", write);
}

async function destroy(scene: Scene): Promise<void> {
  await scene.kube.remove(scene.clusterPath);
  await scene.until("nothing is left of the cluster", async () => {
    const isGone = (await scene.kube.get(scene.clusterPath)) === undefined;
    return isGone && (await scene.pods()).length === 0 && (await scene.claims()).length === 0;
  });
}

/** An S3-compatible server in a pod, a claim for backups, and the Secrets of both. */
async function startStore(scene: Scene): Promise<void> {
  const { namespace } = scene.ground;
  const now = new Date();
  const authority = createAuthority({ commonName: "authority of the store", now, days: 1 });
  const names = [`s3.${namespace}.svc`];
  const leaf = authority.issue({
    commonName: "s3",
    usages: ["server"],
    dnsNames: names,
    ...validFor({ now, days: 1 }),
  });
  const core = async (plural: string, name: string, kind: string, rest: object): Promise<void> => {
    const object = { apiVersion: "v1", kind, metadata: { name, namespace, labels: { app: name } }, ...rest };
    await scene.kube.apply(scene.path(plural, name), object);
  };
  await core("secrets", "s3-tls", "Secret", {
    stringData: { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey },
  });
  await core("secrets", "s3-ca", "Secret", { stringData: { authority: authority.certificate } });
  const { accessKeyId, secretAccessKey } = S3;
  await core("secrets", "s3-credentials", "Secret", { stringData: { accessKeyId, secretAccessKey } });
  await core("secrets", "backup-key", "Secret", { stringData: { now: randomBytes(32).toString("hex") } });
  await makeClaim(scene, "backups");
  await core("services", "s3", "Service", { spec: { selector: { app: "s3" }, ports: [{ port: 7070 }] } });
  const data = [{ name: "data", mountPath: "/data" }];
  const login = [
    "--access",
    accessKeyId,
    "--secret",
    secretAccessKey,
    "--cert",
    "/tls/tls.crt",
    "--key",
    "/tls/tls.key",
  ];
  const args = ["--port", ":7070", ...login, "posix", "--sidecar", "/data/meta", "/data/buckets"];
  await core("pods", "s3", "Pod", {
    spec: {
      initContainers: [
        {
          name: "bucket",
          image: "capstan.test/busybox:1",
          command: ["mkdir", "-p", `/data/buckets/${S3.bucket}`, "/data/meta"],
          volumeMounts: data,
        },
      ],
      containers: [
        {
          name: "s3",
          image: S3_IMAGE,
          args,
          volumeMounts: [...data, { name: "tls", mountPath: "/tls" }],
        },
      ],
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "tls", secret: { secretName: "s3-tls" } },
      ],
    },
  });
  await scene.until("the S3 server runs", async () => {
    const pod = (await scene.kube.get(scene.path("pods", "s3"))) as { status?: { phase?: string } } | undefined;
    return pod?.status?.phase === "Running";
  });
}
