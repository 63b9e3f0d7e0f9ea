import assert from "node:assert/strict";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { manualClock } from "../../test/host.ts";
import { ConfigError } from "../error/config-error.ts";
import type { Clock } from "./clock.ts";
import { rewriteFile } from "./rewrite-file.ts";

interface Folder extends AsyncDisposable {
  readonly path: string;
}

async function folder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "rewrite-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Waits end at once and no time passes: the lock timeout is never reached. */
const patient: Clock = { ...manualClock(), later: (_delay, run) => (void setImmediate().then(run), { cancel() {} }) };

test("a file is replaced with its mode and leaves no other file", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  await chmod(file, 0o640);
  const before = await stat(file);
  await rewriteFile(patient, file, async (text) => `${text}, two`);
  const after = await stat(file);
  assert.equal(await readFile(file, "utf8"), "one, two");
  assert.notEqual(after.ino, before.ino, "another file in its place: readers never see half of it");
  assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
  assert.deepEqual(await readdir(home.path), ["config"]);
});

test("the file keeps its owner", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  const own = await stat(file);
  // Only root may change the owner and write to files of others.
  const [uid, gid] = own.uid === 0 ? [1234, 2345] : [own.uid, own.gid];
  await chown(file, uid, gid);
  await rewriteFile(patient, file, async () => "two");
  const after = await stat(file);
  assert.deepEqual([after.uid, after.gid, await readFile(file, "utf8")], [uid, gid, "two"]);
});

test("a symbolic link stays, and its target is replaced", async () => {
  await using home = await folder();
  const [link, real] = [join(home.path, "config"), join(home.path, "real", "file")];
  await mkdir(join(home.path, "real"));
  await writeFile(real, "one");
  await symlink(join("real", "file"), link);
  await rewriteFile(patient, link, async () => {
    assert.deepEqual(await readdir(home.path), ["config", "config.lock", "real"]);
    return "two";
  });
  assert.equal((await lstat(link)).isSymbolicLink(), true);
  assert.equal(await readFile(real, "utf8"), "two");
  assert.deepEqual(await readdir(join(home.path, "real")), ["file"]);
});

test("a folder with two names has one lock", async () => {
  await using home = await folder();
  await mkdir(join(home.path, "real"));
  await symlink("real", join(home.path, "folder"));
  await writeFile(join(home.path, "real", "config"), "one");
  const clock = manualClock(undefined, "running");
  await rewriteFile(clock, join(home.path, "folder", "config"), async () => "two");
  assert.deepEqual(clock.waits, [], "no lock was awaited");
  assert.equal(await readFile(join(home.path, "real", "config"), "utf8"), "two");
});

test("concurrent writers wait for each other, under any name of the file", async () => {
  await using home = await folder();
  const [file, link] = [join(home.path, "config"), join(home.path, "link")];
  await writeFile(file, "");
  await symlink("config", link);
  const add = (letter: string, index: number): Promise<void> =>
    rewriteFile(patient, index % 2 === 0 ? file : link, async (text) => {
      await setImmediate();
      return text + letter;
    });
  await Promise.all("abcdefgh".split("").map(add));
  assert.equal((await readFile(file, "utf8")).split("").sort().join(""), "abcdefgh");
  assert.deepEqual(await readdir(home.path), ["config", "link"]);
});

test("a stale lock is reported and kept", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  await writeFile(`${file}.lock`, "");
  const rewriting = rewriteFile(manualClock(undefined, "running"), file, async () => "two");
  await assert.rejects(rewriting, (error) => {
    assert.ok(error instanceof ConfigError && error.problem === "Unwritable");
    assert.equal(error.message, `${file}.lock is there; remove it if no program is writing`);
    return true;
  });
  assert.equal(await readFile(file, "utf8"), "one");
  assert.deepEqual(await readdir(home.path), ["config", "config.lock"]);
});

test("a failed or empty change leaves the file and no lock", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  const { ino } = await stat(file);
  await assert.rejects(
    rewriteFile(patient, file, async () => Promise.reject(new Error("no"))),
    /^Error: no$/u,
  );
  for (const none of [undefined, "one"]) await rewriteFile(patient, file, async () => none);
  assert.equal((await stat(file)).ino, ino);
  assert.deepEqual(await readdir(home.path), ["config"]);
});

test("leftovers of a crash do not block", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  await writeFile(`${file}.new`, "half");
  await rewriteFile(patient, file, async () => "two");
  assert.equal(await readFile(file, "utf8"), "two");
  assert.deepEqual(await readdir(home.path), ["config"]);
});

test("a read-only file is not replaced even if its folder is writable", async () => {
  await using home = await folder();
  const file = join(home.path, "config");
  await writeFile(file, "one");
  await chmod(file, 0o400);
  const rewriting = rewriteFile(patient, file, async () => "two");
  // Root can write read-only files, as kubectl does.
  if (process.getuid?.() === 0) await rewriting;
  else await assert.rejects(rewriting, { code: "EACCES" });
  assert.equal(await readFile(file, "utf8"), process.getuid?.() === 0 ? "two" : "one");
  assert.deepEqual(await readdir(home.path), ["config"]);
});
