/** Archives from untrusted sources: errors are reported, and leave no tagged images behind. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { loadArchive, mediaTypes, OciError, type OciErrorCode, openStore, type Store } from "@capstan/oci";
import { layer } from "./layers.ts";

const platform = { os: "linux", architecture: "amd64" };
const named = (name: unknown): object => ({ annotations: { "org.opencontainers.image.ref.name": name } });

/** The files of an archive, and a descriptor for each blob in it. */
class Archive {
  readonly #files: { path: string; body: string }[] = [];

  blob(mediaType: string, value: unknown): { mediaType: string; digest: string; size: number } {
    const body = typeof value === "string" ? value : JSON.stringify(value);
    const hex = createHash("sha256").update(body).digest("hex");
    this.#files.push({ path: `blobs/sha256/${hex}`, body });
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(body) };
  }

  file(path: string, value: unknown): this {
    this.#files.push({ path, body: typeof value === "string" ? value : JSON.stringify(value) });
    return this;
  }

  bytes(): Buffer {
    return layer(this.#files);
  }
}

/** An image with these documents instead of good ones. */
function image({ config, manifest }: { config?: unknown; manifest?: object } = {}): Archive {
  const archive = new Archive();
  const good = { ...platform, config: { Entrypoint: ["/bin/app"] }, rootfs: { type: "layers", diff_ids: [] } };
  const descriptor = archive.blob(mediaTypes.manifest, {
    schemaVersion: 2,
    config: archive.blob(mediaTypes.config, config === undefined ? good : config),
    layers: [],
    ...manifest,
  });
  return archive.file("index.json", { schemaVersion: 2, manifests: [{ ...descriptor, ...named("app:v1") }] });
}

describe("foreign archives", () => {
  let home = "";
  let store: Store;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "capstan-archive-"));
    store = await openStore(join(home, "store"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const load = (archive: Archive): Promise<string[]> => {
    writeFileSync(join(home, "app.tar"), archive.bytes());
    return loadArchive(join(home, "app.tar"), store);
  };
  const refused = async (archive: Archive, code: OciErrorCode, words: RegExp): Promise<void> => {
    await assert.rejects(load(archive), (error) => {
      assert.ok(error instanceof OciError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, words);
      return true;
    });
    assert.deepEqual(await store.list(), []);
  };

  test("a good one is loaded, also with the nulls that Go writes", async () => {
    assert.deepEqual(await load(image()), ["app:v1"]);
    const config = { ...platform, config: { Env: null, Cmd: null, Volumes: null }, rootfs: { diff_ids: null } };
    await load(image({ config, manifest: { layers: null } }));
    const found = await store.image((await store.find("app:v1")) ?? assert.fail("not there"), platform);
    assert.deepEqual(found.config.config, {});
    assert.deepEqual(found.manifest.layers, []);
  });

  test("an invalid index", async () => {
    for (const [index, code, words] of [
      [[], "BadImage", /index.json of .*app.tar is no object/],
      [[null], "BadImage", /is no object/],
      ["{", "BadArchive", /its index is not JSON/],
      [{ manifests: "abc" }, "BadImage", /manifests of .* is no list/],
      [{ manifests: [null] }, "BadImage", /entry 1 in manifests of .* is no object/],
      [{ manifests: [] }, "BadArchive", /names no image/],
    ] as const)
      await refused(new Archive().file("index.json", index), code, words);
  });

  test("invalid or missing names and digests", async () => {
    const missing = { mediaType: mediaTypes.manifest, digest: `sha256:${"0".repeat(64)}`, size: 2 };
    const indexOf = (entry: object): Archive => new Archive().file("index.json", { manifests: [entry] });
    await refused(indexOf({ ...missing, ...named("app:v1") }), "BadArchive", /names sha256:0+ and does not have it/);
    await refused(indexOf({ ...missing, digest: "sha256:../../x" }), "BadImage", /"sha256:..\/..\/x", which is none/);
    await refused(indexOf({ ...missing, size: -1 }), "BadImage", /has the size -1/);
    await refused(indexOf({ ...missing, ...named(7) }), "BadImage", /annotations of .* is no text/);
    const odd = new Archive();
    const manifest = odd.blob(mediaTypes.manifest, { config: odd.blob(mediaTypes.config, platform), layers: [] });
    await refused(
      odd.file("index.json", { manifests: [{ ...manifest, ...named("Bad Name!!") }] }),
      "BadReference",
      /Bad Name!!/,
    );
    await refused(image({ manifest: { layers: [missing] } }), "BadArchive", /does not have it/);
  });

  test("documents that violate the OCI specification", async () => {
    await refused(image({ manifest: { config: null } }), "BadImage", /config of manifest .* is no object/);
    await refused(image({ manifest: { layers: {} } }), "BadImage", /layers of manifest .* is no list/);
    for (const [config, words] of [
      [[], /configuration .* is no object/],
      [{ ...platform, config: { Env: [5] } }, /Env of config of .* is no text/],
      [{ ...platform, config: { Entrypoint: "/bin/x" } }, /Entrypoint of .* is no list/],
      [{ ...platform, config: { Labels: { a: {} } } }, /Labels of .* is no text/],
      [{ ...platform, rootfs: { diff_ids: 5 } }, /diff_ids of .* is no list/],
    ] as const)
      await refused(image({ config }), "BadImage", words);
    await refused(image({ config: `"${"x".repeat(4 * 2 ** 20)}"` }), "BadImage", /which no document has/);
  });

  test("broken output of docker save", async () => {
    const saved = (value: unknown): Archive => new Archive().file("manifest.json", value).file("c.json", platform);
    assert.deepEqual(await load(saved([{ Config: "c.json", RepoTags: ["app:v1"], Layers: null }])), ["app:v1"]);
    await store.remove("app:v1");
    await refused(saved({}), "BadImage", /manifest.json of .* is no list/);
    await refused(saved([{ Config: 5 }]), "BadImage", /Config in .* is no text/);
    await refused(saved([{ Config: "d.json", RepoTags: ["app:v1"], Layers: [] }]), "BadArchive", /names d.json/);
    await refused(saved([{ Config: "c.json", RepoTags: ["App!"], Layers: [] }]), "BadReference", /App!/);
  });
});
