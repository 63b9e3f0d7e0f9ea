import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "./atomic-files.ts";

const file = (text: string, mode = 0o644): { bytes: Buffer; mode: number } => ({ bytes: Buffer.from(text), mode });

test("a volume changes as a whole, and only when its files differ", async (context) => {
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

test("a link out of the volume is not followed, and its target is not removed", async (context) => {
  const home = await mkdtemp(join(tmpdir(), "volume-"));
  context.after(() => rm(home, { recursive: true }));
  const [folder, precious] = [join(home, "volume"), join(home, "precious")];
  for (const path of [folder, precious]) await mkdir(path);
  await writeFile(join(precious, "file"), "untouched");
  for (const target of ["../precious", "..", precious, "../volume/../precious"]) {
    await rm(join(folder, "..data"), { force: true });
    await symlink(target, join(folder, "..data"));
    await writeFiles(folder, new Map([["a", file(target)]]), { stamp: `x${target.length}`, group: undefined });
    assert.equal(await readFile(join(precious, "file"), "utf8"), "untouched");
    assert.equal(await readFile(join(folder, "a"), "utf8"), target);
  }
});

test("a path that leaves the volume is rejected", async () => {
  for (const path of ["../x", "/x", "a/../../x", "..data", ""]) {
    const write = writeFiles("/nowhere", new Map([[path, file("x")]]), { stamp: "1", group: undefined });
    await assert.rejects(write, { code: "FailedMount" }, path);
  }
});

test("a failed write leaves nothing behind, and an interrupted one does no harm", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "volume-"));
  context.after(() => rm(folder, { recursive: true }));
  const inEachOther = new Map([
    ["a", file("a")],
    ["a/b", file("b")],
  ]);
  await assert.rejects(writeFiles(folder, inEachOther, { stamp: "1", group: undefined }));
  assert.deepEqual(await readdir(folder), []);
  await symlink("..0", join(folder, "..data_tmp"));
  await writeFiles(folder, new Map([["a", file("a")]]), { stamp: "2", group: undefined });
  assert.deepEqual((await readdir(folder)).sort(), ["..2", "..data", "a"]);
});
