import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test, type TestContext } from "node:test";
import { findInRoot, type Place } from "./in-root.ts";

function rootOf(t: TestContext): { readonly root: string; readonly find: (path: string, covered?: string) => Place } {
  const root = mkdtempSync(join(tmpdir(), "root-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const find = (path: string, covered = ""): Place =>
    findInRoot({ root, path, make: "folder", isCovered: (at) => at === covered });
  return { root, find };
}

test("links resolve as in the container, whatever they name", (t) => {
  const { root, find } = rootOf(t);
  mkdirSync(join(root, "run"));
  mkdirSync(join(root, "var"));
  symlinkSync("/run", join(root, "var/run"));
  symlinkSync("../../../../../etc", join(root, "var/back"));
  symlinkSync(tmpdir(), join(root, "out"));
  assert.equal(find("/var/run/secrets").path, "/run/secrets");
  assert.equal(find("/var/back/hosts").path, "/etc/hosts");
  // A name that is unique on this machine.
  const made = `made-in-${basename(root)}`;
  assert.equal(find(`/out/${made}`).path, `${tmpdir()}/${made}`);
  assert.ok(existsSync(join(root, tmpdir(), made)), "it is made in the container");
  assert.equal(existsSync(join(tmpdir(), made)), false);
});

test("missing folders are created with access for all users", (t) => {
  const { root, find } = rootOf(t);
  find("/data/x/db");
  assert.equal(statSync(join(root, "data/x")).mode & 0o777, 0o755 & ~process.umask());
});

test("a search ends at a path that is covered by a mount", (t) => {
  const { root, find } = rootOf(t);
  symlinkSync("/volume/deep", join(root, "link"));
  assert.deepEqual(find("/link/er", "/volume"), { path: "/volume", rest: ["deep", "er"] });
  assert.equal(existsSync(join(root, "volume")), false, "nothing is created below a mount");
});

test("nothing is below a file, also not via .. to an unresolved link", (t) => {
  const { root, find } = rootOf(t);
  writeFileSync(join(root, "file"), "");
  symlinkSync("/elsewhere", join(root, "link"));
  symlinkSync("file/../link", join(root, "way"));
  assert.throws(() => find("/file/below"), /mkdir \/file\/below: not a directory/);
  assert.throws(() => find("/way/on"), /mkdir \/way\/on: not a directory/);
  assert.deepEqual(find("/file"), { path: "/file", rest: [] });
});

test("link loops are rejected", (t) => {
  const { root, find } = rootOf(t);
  symlinkSync("/b", join(root, "a"));
  symlinkSync("/a", join(root, "b"));
  assert.throws(() => find("/a/x"), /too many levels of symbolic links in \/a\/x/);
});
