import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "./atomic-files.ts";

const file = (text: string, mode = 0o644): { bytes: Buffer; mode: number } => ({ bytes: Buffer.from(text), mode });

test("a volume changes as a whole, and only when it has to", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "volume-"));
  context.after(() => rm(folder, { recursive: true }));
  const write = (stamp: string, files: { [path: string]: { bytes: Buffer; mode: number } }): Promise<void> =>
    writeFiles(folder, new Map(Object.entries(files)), { stamp, group: undefined });
  await write("1", { a: file("one", 0o400), "deep/b": file("two") });
  assert.equal(await readFile(join(folder, "a"), "utf8"), "one");
  assert.equal((await stat(join(folder, "a"))).mode & 0o777, 0o400);
  assert.equal(await readlink(join(folder, "a")), "..data/a");
  assert.equal(await readFile(join(folder, "deep/b"), "utf8"), "two");
  await write("2", { a: file("one", 0o400), "deep/b": file("two") });
  assert.equal(await readlink(join(folder, "..data")), "..1");
  await write("3", { a: file("changed") });
  assert.deepEqual((await readdir(folder)).sort(), ["..3", "..data", "a"]);
  assert.equal(await readFile(join(folder, "a"), "utf8"), "changed");
});

test("a path that leaves the volume is refused", async () => {
  for (const path of ["../x", "/x", "a/../../x", "..data", ""]) {
    const write = writeFiles("/nowhere", new Map([[path, file("x")]]), { stamp: "1", group: undefined });
    await assert.rejects(write, { code: "FailedMount" }, path);
  }
});
