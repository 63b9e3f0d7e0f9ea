import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { withLock } from "./lock.ts";

async function lockFor(t: TestContext): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, "lock") };
}

test("the lock of a killed process does not block forever", async (t) => {
  const { folder, path } = await lockFor(t);
  await writeFile(path, "somebody");
  assert.equal(await withLock(path, async () => "done", 3), "done");
  assert.deepEqual(await readdir(folder), []);
});

test("a lock that keeps changing its holder is not broken", async (t) => {
  const { path } = await lockFor(t);
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
  assert.equal(most, 1);
});
