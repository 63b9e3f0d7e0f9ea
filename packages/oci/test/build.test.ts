/** Images are reproducible, and other tools can read them. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import {
  buildImage,
  buildIndex,
  type Descriptor,
  folderEntries,
  loadArchive,
  OciError,
  openStore,
  saveArchive,
  type Store,
} from "@capstan/oci";
import { appletLinks } from "../src/build/applets.ts";

const platform = { os: "linux", architecture: "amd64" };

describe("building", () => {
  let home = "";
  let store: Store;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "capstan-build-"));
    store = await openStore(join(home, "store"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const build = (target: Store, body = "hello"): Promise<Descriptor> =>
    buildImage(
      { platform, layers: [[{ path: "app/main.js", body }]], config: { Entrypoint: ["/app/main.js"], User: "65532" } },
      target,
    );

  test("equal recipes give equal digests, different ones differ", async () => {
    const other = await openStore(join(home, "other"));
    assert.equal((await build(store)).digest, (await build(other)).digest);
    assert.notEqual((await build(store)).digest, (await build(store, "bye")).digest);
  });

  test("removing an image removes the blobs that no other image needs", async () => {
    const first = await build(store);
    const second = await build(store, "bye");
    const index = await buildIndex([first, second], store);
    await store.tag("example.test/both:1", index);
    await store.tag("example.test/one:1", first);
    const before = (await store.blobs()).length;
    await store.remove("example.test/both:1");
    assert.equal((await store.blobs()).length, before - 4, "the index, and manifest, config and layer of the second");
    assert.equal((await store.image(first, platform)).descriptor.digest, first.digest);
    await store.remove("example.test/one:1");
    assert.deepEqual(await store.blobs(), []);
    await store.remove("example.test/never:1");
  });

  test("only an image of a busybox has a link for each of its programs", async () => {
    const busybox = join(home, "busybox");
    writeFileSync(busybox, '#!/bin/sh\n[ "$1" = --list ] && printf "[\\nsh\\nwget\\n../evil\\n\\nlast.one-2\\n"\n', {
      mode: 0o755,
    });
    const other = join(home, "other");
    writeFileSync(other, "#!/bin/sh\n", { mode: 0o755 });
    const linksOf = async (program: string): Promise<Record<string, string>> => {
      const entries = await appletLinks(program, "/usr/bin/busybox");
      return Object.fromEntries(entries.map(({ path, target = "" }) => [path, target]));
    };
    assert.deepEqual(await linksOf(other), {});
    assert.deepEqual(await linksOf(busybox), {
      "/bin/[": "/usr/bin/busybox",
      "/bin/last.one-2": "/usr/bin/busybox",
      "/bin/sh": "/usr/bin/busybox",
      "/bin/wget": "/usr/bin/busybox",
    });
    const link = join(home, "bb");
    symlinkSync(busybox, link);
    assert.equal(Object.keys(await linksOf(link)).length, 4, "by what it is, not by what it is called");
  });

  test("a folder gives the same layer whatever its times are", async () => {
    const folder = join(home, "src");
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "bin/run"), "#!/bin/sh", { mode: 0o700 });
    writeFileSync(join(folder, "skipped"), "x");
    symlinkSync("bin/run", join(folder, "link"));
    const entries = (): ReturnType<typeof folderEntries> =>
      folderEntries(folder, { at: "/opt", include: (path) => path !== "skipped" });
    const before = await entries();
    utimesSync(join(folder, "bin/run"), 1, 1);
    assert.deepEqual(await entries(), before);
    assert.deepEqual(
      before.map(({ path, type, mode }) => [path, type, mode]),
      [
        ["/opt/bin", "directory", undefined],
        ["/opt/bin/run", "file", 0o755],
        ["/opt/link", "symlink", 0o777],
      ],
    );
  });

  test("an image on top of another keeps its layers and adds to its configuration", async () => {
    const base = await buildImage(
      {
        platform,
        layers: [[{ path: "a", body: "1" }]],
        config: { Env: ["A=1", "B=1"], Labels: { x: "1" }, User: "1" },
      },
      store,
    );
    const top = await buildImage(
      { platform, from: base, layers: [[{ path: "b", body: "2" }]], config: { Env: ["B=2"], Labels: { y: "2" } } },
      store,
    );
    const { config, manifest } = await store.image(top, platform);
    assert.equal(manifest.layers.length, 2);
    assert.deepEqual(config.config, { Env: ["A=1", "B=2"], Labels: { x: "1", y: "2" }, User: "1" });
  });

  test("an index chooses by platform and lists its platforms", async () => {
    const arm = await buildImage(
      { platform: { os: "linux", architecture: "arm64" }, layers: [[{ path: "a", body: "arm" }]] },
      store,
    );
    const index = await buildIndex([await build(store), arm], store);
    assert.equal((await store.image(index, { os: "linux", architecture: "arm64" })).descriptor.digest, arm.digest);
    await assert.rejects(
      store.image(index, { os: "linux", architecture: "s390x" }),
      (error) =>
        error instanceof OciError && error.code === "NoPlatform" && error.message.includes("linux/amd64, linux/arm64"),
    );
  });

  test("an archive is loaded into another store unchanged", async () => {
    const image = await build(store);
    await store.tag("registry.example.com/app:v1", image);
    await saveArchive("registry.example.com/app:v1", store, join(home, "app.tar"));
    const other = await openStore(join(home, "other"));
    assert.deepEqual(await loadArchive(join(home, "app.tar"), other), ["registry.example.com/app:v1"]);
    assert.equal((await other.find("registry.example.com/app:v1"))?.digest, image.digest);
    assert.equal((await other.image(image, platform)).config.config?.User, "65532");
  });

  test("a blob that was changed on disk is not trusted", async () => {
    const image = await build(store);
    writeFileSync(store.blobPath(image.digest), "{}");
    await assert.rejects(
      store.image(image, platform),
      (error) => error instanceof OciError && error.code === "BadDigest",
    );
  });
});
