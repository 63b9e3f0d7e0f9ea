import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import {
  buildImage,
  openStore,
  parseReference,
  platformOf,
  RegistrySession,
  type Descriptor,
  type Store,
} from "@capstan/oci";
import type { Secret } from "@capstan/kinds/v1";
import { pullSecretsOf } from "../agent/pull-secrets.ts";
import type { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import { Images } from "./images.ts";

const stored = { uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
const podWith = (...names: readonly string[]): BoundPod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...stored, name: "p", namespace: "n" },
  spec: { containers: [{ name: "main" }], imagePullSecrets: names.map((name) => ({ name })) },
});
const secretOf = (name: string, password: string): Secret => {
  const auth = Buffer.from(`ann:${password}`).toString("base64");
  const config = JSON.stringify({ auths: { "registry.test": { auth } } });
  const data = { ".dockerconfigjson": Buffer.from(config).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { ...stored, name }, data };
};

/** A registry that accepts only the user ann with the right password. */
function closedRegistry(store: Store, image: Descriptor): (url: string, init?: RequestInit) => Promise<Response> {
  const right = `Basic ${Buffer.from("ann:right").toString("base64")}`;
  return async (url, init = {}) => {
    if (new Headers(init.headers).get("authorization") !== right)
      return new Response(null, { status: 401, headers: { "www-authenticate": 'Basic realm="test"' } });
    const { pathname } = new URL(url);
    const digest = pathname.includes("/manifests/") ? image.digest : (pathname.split("/").at(-1) ?? "");
    const headers = pathname.includes("/manifests/") ? { "content-type": image.mediaType } : {};
    return new Response(await readFile(store.blobPath(digest)), { headers });
  };
}

test("an image is pulled with the pod's secrets, in order, until one is accepted", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const [there, here] = [await openStore(join(home, "there")), await openStore(join(home, "here"))];
    const image = await buildImage({ platform: platformOf(process), layers: [[{ path: "a", body: "a" }]] }, there);
    const options = { fetch: closedRegistry(there, image), credentials: async () => undefined, wait: async () => {} };
    const session = async (registry: string): Promise<RegistrySession> => new RegistrySession(registry, options);
    const images = new Images({ store: here, folder: join(home, "roots"), rights: "user", session });
    const secrets = new Map(
      [secretOf("right", "right"), secretOf("wrong", "wrong")].map((one) => [one.metadata.name, one]),
    );
    const objects = { secret: async (_namespace: string, name: string) => secrets.get(name) };
    const pull = (pod: BoundPod): Promise<unknown> => images.pull("registry.test/app:v1", pullSecretsOf(pod, objects));
    const isPullError = (error: NodeError): boolean =>
      error.code === "ErrImagePull" &&
      error.message.endsWith("from HEAD request to https://registry.test/v2/app/manifests/v1: 401 Unauthorized");
    await assert.rejects(pull(podWith()), (error: NodeError) => error.code === "ErrImagePull");
    await assert.rejects(pull(podWith("wrong")), isPullError);
    await pull(podWith("missing", "wrong", "right"));
    assert.equal((await images.find("registry.test/app:v1"))?.id, image.digest);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("credentials match by host pattern and path prefix, most specific first", async () => {
  const auths = [
    "*.test",
    "registry.test/team/",
    "https://registry.test/v2/",
    "registry.test:5000",
    "other.test/team",
    "docker.io",
  ];
  const entries = auths.map((place) => [place, { username: place, password: "p" }]);
  const data = {
    ".dockerconfigjson": Buffer.from(JSON.stringify({ auths: Object.fromEntries(entries) })).toString("base64"),
  };
  const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: { ...stored, name: "all" }, data };
  const logins = pullSecretsOf(podWith("all"), { secret: async () => secret });
  const namesFor = async (image: string): Promise<readonly string[]> =>
    (await logins(parseReference(image))).map((login) => (login.type === "password" ? login.username : ""));
  assert.deepEqual(await namesFor("registry.test/team/app:1"), [
    "registry.test/team/",
    "https://registry.test/v2/",
    "*.test",
  ]);
  assert.deepEqual(await namesFor("registry.test/app"), ["https://registry.test/v2/", "*.test"]);
  assert.deepEqual(await namesFor("registry.test:5000/app"), ["registry.test:5000"]);
  assert.deepEqual(await namesFor("deep.registry.test/app"), []);
  assert.deepEqual(await namesFor("memcached:1.6"), ["docker.io"]);
});

test("layers that differ from the image's configuration are not unpacked", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const store = await openStore(join(home, "store"));
    const platform = platformOf(process);
    const [one, other] = await Promise.all(
      ["one", "other"].map((body) => buildImage({ platform, layers: [[{ path: "a", body }]] }, store)),
    );
    assert.ok(one && other);
    const [manifest, foreign] = await Promise.all([one, other].map(({ digest }) => store.readManifest(digest)));
    const mixed = Buffer.from(JSON.stringify({ ...manifest, layers: foreign?.layers }));
    const digest = `sha256:${createHash("sha256").update(mixed).digest("hex")}`;
    await store.write([mixed], { digest });
    await store.tag("registry.test/mixed:1", { mediaType: one.mediaType, digest, size: mixed.length });
    const images = new Images({ store, folder: join(home, "roots"), rights: "user", session: undefined });
    await assert.rejects(images.unpack("registry.test/mixed:1"), { code: "BadDigest" });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("an image for another platform is rejected, by its index or configuration", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const store = await openStore(join(home, "store"));
    const layers = [[{ path: "a", body: "a" }]];
    const foreign = await buildImage({ platform: { os: "linux", architecture: "mips" }, layers }, store);
    const { platform: _, ...single } = foreign;
    await store.tag("registry.test/foreign:1", single);
    const images = new Images({ store, folder: join(home, "roots"), rights: "user", session: undefined });
    assert.equal(await images.find("registry.test/foreign:1"), undefined);
    await assert.rejects(
      images.pull("registry.test/foreign:1", async () => []),
      {
        code: "ErrImagePull",
        message: `rpc error: code = NotFound desc = get image config descriptor: no match for platform in manifest ${single.digest}: not found`,
      },
    );
    const { platform: __, ...own } = await buildImage({ platform: platformOf(process), layers }, store);
    await store.tag("registry.test/own:1", own);
    assert.equal((await images.find("registry.test/own:1"))?.id, own.digest);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("an image with a rejected layer leaves nothing behind", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const store = await openStore(join(home, "store"));
    const layers = [[{ path: "a", body: "a" }], [{ path: ".wh...", body: "" }]];
    const image = await buildImage({ platform: platformOf(process), layers }, store);
    await store.tag("registry.test/bad:1", image);
    const folder = join(home, "roots");
    const images = new Images({ store, folder, rights: "user", session: undefined });
    for (let turn = 0; turn < 2; turn++)
      await assert.rejects(images.unpack("registry.test/bad:1"), { code: "UnsafeLayer" });
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("partial folders of killed processes are removed, those in use are not", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const store = await openStore(join(home, "store"));
    const layers = [[{ path: "a", body: "a" }]];
    await store.tag("registry.test/app:1", await buildImage({ platform: platformOf(process), layers }, store));
    const folder = join(home, "roots");
    const gone = spawnSync(process.execPath, ["--version"]).pid;
    const [left, busy] = [`sha256-a.${gone}-abcdef`, `sha256-a.${process.ppid}-abcdef`];
    for (const name of [left, busy]) await mkdir(join(folder, name, "bin"), { recursive: true });
    const images = new Images({ store, folder, rights: "user", session: undefined });
    const { folder: unpacked } = await images.unpack("registry.test/app:1");
    assert.deepEqual((await readdir(folder)).toSorted(), [busy, basename(unpacked)].toSorted());
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
