import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { buildImage, buildIndex, openStore, type Store } from "@capstan/oci";
import { shareImage } from "./share.ts";

const amd64 = { os: "linux", architecture: "amd64" };
const arm64 = { os: "linux", architecture: "arm64" };

async function stores(t: TestContext): Promise<{ from: Store; to: Store }> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-share-"));
  t.after(() => rm(folder, { recursive: true }));
  return { from: await openStore(join(folder, "from")), to: await openStore(join(folder, "to")) };
}

const build = (store: Store, platform: typeof amd64) =>
  buildImage({ platform, layers: [[{ path: "/who", type: "file", body: platform.architecture }]] }, store);

test("of a multi-platform image, the part for this platform is copied and tagged", async (t) => {
  const { from, to } = await stores(t);
  const [first, second] = [await build(from, amd64), await build(from, arm64)];
  await from.tag("both:1", await buildIndex([first, second], from));
  assert.equal(await shareImage({ name: "both:1", platform: arm64 }, from, to), true);
  const found = (await to.find("both:1")) ?? assert.fail();
  assert.equal(found.digest, second.digest);
  const { manifest, config } = await to.image(found, arm64);
  assert.equal(config.architecture, "arm64");
  for (const { digest } of manifest.layers) assert.ok(await to.has(digest));
  assert.equal(await to.has(first.digest), false);
});

test("an image for other platforms, or a missing one, is not shared", async (t) => {
  const { from, to } = await stores(t);
  await from.tag("far:1", await build(from, arm64));
  assert.equal(await shareImage({ name: "far:1", platform: amd64 }, from, to), false);
  assert.equal(await shareImage({ name: "nowhere:1", platform: amd64 }, from, to), false);
  assert.deepEqual(await to.list(), []);
});

test("a shared tag moves to the new image", async (t) => {
  const { from, to } = await stores(t);
  await from.tag("app:1", await build(from, amd64));
  await shareImage({ name: "app:1", platform: amd64 }, from, to);
  const next = await buildImage({ platform: amd64, layers: [[{ path: "/new", type: "file", body: "new" }]] }, from);
  await from.tag("app:1", next);
  await shareImage({ name: "app:1", platform: amd64 }, from, to);
  assert.equal((await to.find("app:1"))?.digest, next.digest);
});
