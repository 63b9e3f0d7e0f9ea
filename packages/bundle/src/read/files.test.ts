import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readFolder, toText } from "./files.ts";

/** A folder with a bundle in it, and a file beside it. */
async function bundle(t: TestContext): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "bundle-files-"));
  t.after(() => rm(place, { recursive: true }));
  const root = join(place, "bundle");
  await mkdir(join(root, "real"), { recursive: true });
  await writeFile(join(root, "real", "crd.yaml"), "kind: CustomResourceDefinition\n");
  await writeFile(join(place, "secret"), "mine\n");
  return root;
}

test("links within a bundle are followed, to files and to folders", async (t) => {
  const root = await bundle(t);
  await symlink("real", join(root, "manifests"));
  await symlink("../real/crd.yaml", join(root, "real", "again.yaml"));
  const linked = join(root, "..", "linked");
  await symlink("bundle", linked);
  for (const folder of [root, linked]) {
    const files = await readFolder(folder);
    const paths = ["manifests/again.yaml", "manifests/crd.yaml", "real/again.yaml", "real/crd.yaml"];
    assert.deepEqual([...files.keys()], paths);
    assert.equal(toText(files.get("manifests/crd.yaml") ?? new Uint8Array()), "kind: CustomResourceDefinition\n");
  }
});

for (const [target, sentence] of [
  ["../../secret", /^real\/link is a link that leads out of the bundle/],
  ["/etc", /^real\/link is a link that leads out of the bundle/],
  ["nowhere", /^real\/link is a link that leads nowhere/],
  ["link", /^real\/link is a link that leads nowhere/],
] as const) {
  test(`a link to ${target} is named, and nothing behind it is read`, async (t) => {
    const root = await bundle(t);
    await symlink(target, join(root, "real", "link"));
    await assert.rejects(readFolder(root), { name: "BundleError", code: "BadBundle", message: sentence });
  });
}

test("links that lead in a circle of folders come to an end", async (t) => {
  const root = await bundle(t);
  await symlink("..", join(root, "real", "up"));
  await assert.rejects(readFolder(root), { name: "BundleError", code: "BadBundle" });
  await rm(join(root, "real", "up"));
  await symlink(".", join(root, "real", "here"));
  await assert.rejects(readFolder(root), { name: "BundleError", code: "TooLarge" });
});
