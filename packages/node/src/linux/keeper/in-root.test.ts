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

test("links lead where they would in the container, whatever they name and however far back", (t) => {
  const { root, find } = rootOf(t);
  mkdirSync(join(root, "run"));
  mkdirSync(join(root, "var"));
  symlinkSync("/run", join(root, "var/run"));
  symlinkSync("../../../../../etc", join(root, "var/back"));
  symlinkSync(tmpdir(), join(root, "out"));
  assert.equal(find("/var/run/secrets").path, "/run/secrets");
  assert.equal(find("/var/back/hosts").path, "/etc/hosts");
  // A name that nobody else has on this machine.
  const made = `made-in-${basename(root)}`;
  assert.equal(find(`/out/${made}`).path, `${tmpdir()}/${made}`);
  assert.ok(existsSync(join(root, tmpdir(), made)), "it is made in the container");
  assert.equal(existsSync(join(tmpdir(), made)), false);
});

test("what is missing is made for everybody to pass", (t) => {
  const { root, find } = rootOf(t);
  find("/data/x/db");
  assert.equal(statSync(join(root, "data/x")).mode & 0o777, 0o755 & ~process.umask());
});

test("a search ends where something else is shown", (t) => {
  const { root, find } = rootOf(t);
  symlinkSync("/volume/deep", join(root, "link"));
  assert.deepEqual(find("/link/er", "/volume"), { path: "/volume", rest: ["deep", "er"] });
  assert.equal(existsSync(join(root, "volume")), false, "nothing is made where nobody will see it");
});

test("nothing is below a file, also not by a step back to a link that was never looked at", (t) => {
  const { root, find } = rootOf(t);
  writeFileSync(join(root, "file"), "");
  symlinkSync("/elsewhere", join(root, "link"));
  symlinkSync("file/../link", join(root, "way"));
  assert.throws(() => find("/file/below"), /mkdir \/file\/below: not a directory/);
  assert.throws(() => find("/way/on"), /mkdir \/way\/on: not a directory/);
  assert.deepEqual(find("/file"), { path: "/file", rest: [] });
});

test("links that lead in a circle are refused", (t) => {
  const { root, find } = rootOf(t);
  symlinkSync("/b", join(root, "a"));
  symlinkSync("/a", join(root, "b"));
  assert.throws(() => find("/a/x"), /too many levels of symbolic links in \/a\/x/);
});
