import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { mediaTypes } from "../media-types.ts";
import { openStore } from "./store.ts";

test("names that are given at the same time are all kept, also by stores that do not know of each other", async () => {
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
