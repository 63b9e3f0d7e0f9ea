import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { makeFolders } from "./make-folders.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "make-folders-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("missing folders are created, and the topmost one is reported", (t) => {
  const top = folderFor(t);
  assert.equal(makeFolders(join(top, "a/b/c")), join(top, "a"));
  assert.ok(statSync(join(top, "a/b/c")).isDirectory());
  assert.equal(makeFolders(join(top, "a/b/c")), undefined);
  assert.equal(makeFolders(join(top, "a/b/d")), join(top, "a/b/d"));
});

test("a file or a link to nothing in the path is an error", (t) => {
  const top = folderFor(t);
  writeFileSync(join(top, "file"), "");
  symlinkSync(join(top, "nothing"), join(top, "link"));
  for (const path of ["file", "file/a", "file/a/b", "link", "link/a"])
    assert.throws(() => makeFolders(join(top, path)), /ENOTDIR|EEXIST|ENOENT/);
  assert.equal(existsSync(join(top, "nothing")), false);
});

// In a process of its own, which can be ended: a creation that never ends would stop the tests.
test("the creation in a deleted folder ends with an error", { skip: !existsSync("/proc/self/fd") }, (t) => {
  const top = folderFor(t);
  const held = openSync(top, "r");
  rmSync(top, { recursive: true });
  const url = new URL("make-folders.ts", import.meta.url).href;
  const program = `import { makeFolders } from ${JSON.stringify(url)};
    try { makeFolders("/proc/${process.pid}/fd/${held}/a/b"); } catch (error) { console.log(error.code); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { timeout: 60_000 });
  closeSync(held);
  assert.equal(stdout.toString(), "ENOENT\n");
});
