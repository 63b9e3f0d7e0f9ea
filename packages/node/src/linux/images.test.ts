import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  buildImage,
  openStore,
  platformOf,
  RegistrySession,
  type Descriptor,
  type Manifest,
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

/** A registry that answers only ann, whose password is right. */
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

test("an image is pulled with the secrets of its pod, the first that fits", async () => {
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
      error.code === "ErrImagePull" && /does not let us/.test(error.message);
    await assert.rejects(pull(podWith()), (error: NodeError) => error.code === "ErrImagePull");
    await assert.rejects(pull(podWith("wrong")), isPullError);
    await pull(podWith("missing", "right"));
    assert.equal((await images.find("registry.test/app:v1"))?.id, image.digest);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("layers that are not those of the image's configuration are not unpacked", async () => {
  const home = await mkdtemp(join(tmpdir(), "images-"));
  try {
    const store = await openStore(join(home, "store"));
    const platform = platformOf(process);
    const [one, other] = await Promise.all(
      ["one", "other"].map((body) => buildImage({ platform, layers: [[{ path: "a", body }]] }, store)),
    );
    assert.ok(one && other);
    const [manifest, foreign] = await Promise.all([one, other].map(({ digest }) => store.readJson<Manifest>(digest)));
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

test("an image whose layer is refused leaves nothing half done", async () => {
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
