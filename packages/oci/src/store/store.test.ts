import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { mediaTypes } from "../media-types.ts";
import { openStore } from "./store.ts";

test("concurrent tags are all kept, also by independent stores", async () => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  try {
    const [store, other] = await Promise.all([openStore(folder), openStore(folder)]);
    const descriptor = { mediaType: mediaTypes.manifest, ...(await store.writeJson({ schemaVersion: 2 })) };
    const names = Array.from({ length: 20 }, (_, index) => `registry.test/app:${index}`);
    await Promise.all(names.map((name, index) => (index % 2 === 0 ? store : other).tag(name, descriptor)));
    assert.deepEqual(new Set((await store.list()).map(({ name }) => name)), new Set(names));
    await Promise.all(names.slice(5).map((name) => store.untag(name)));
    assert.equal((await store.list()).length, 5);
    assert.deepEqual((await readdir(folder)).toSorted(), ["blobs", "index.json", "oci-layout"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("incomplete blobs of a killed process are removed, those of active ones stay", () =>
  withFolder(async (folder) => {
    const blobs = join(folder, "blobs");
    await openStore(folder);
    const [left, atWork] = [join(blobs, ".incoming-left"), join(blobs, ".incoming-at-work")];
    for (const path of [left, atWork]) await writeFile(path, "half");
    const { mtimeMs } = await stat(atWork);
    await utimes(left, 0, (mtimeMs - 61 * 60 * 1000) / 1000);
    const store = await openStore(folder);
    await Promise.all([store.writeJson({ one: 1 }), store.writeJson({ two: 2 })]);
    assert.deepEqual((await readdir(blobs)).toSorted(), [".incoming-at-work", "sha256"]);
  }));

test("only the owner can read a store", () =>
  withFolder(async (folder) => {
    const store = await openStore(folder);
    const descriptor = { mediaType: mediaTypes.manifest, ...(await store.writeJson({ schemaVersion: 2 })) };
    await store.tag("registry.test/app:1", descriptor);
    const seen = [join(folder, "blobs"), store.blobPath(descriptor.digest), join(folder, "index.json")];
    const modes = await Promise.all(seen.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));
    assert.deepEqual(modes, ["700", "600", "600"]);
  }));
