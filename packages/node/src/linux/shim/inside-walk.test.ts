import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { walkInside, type Walk } from "./inside-walk.ts";

test(
  "a walk stays below its folder, wherever links lead",
  { skip: process.platform !== "linux" && "Linux only" },
  async () => {
    const top = await mkdtemp(join(tmpdir(), "walk-"));
    const root = join(top, "disk");
    await mkdir(join(root, "data/deep"), { recursive: true });
    await writeFile(join(root, "data/file"), "mine");
    await writeFile(join(top, "secret"), "secret");
    await symlink(top, join(root, "away"));
    await symlink("../..", join(root, "data/up"));
    await symlink("/data", join(root, "same"));
    await symlink("data/file", join(root, "near"));
    await symlink("round", join(root, "round"));
    const go = async (path: string, more: Partial<Walk> = {}): Promise<string> => {
      await using end = await walkInside({ root, path, links: "disk", make: "nothing", ...more });
      return end.found === "file" ? readFile(end.path, "utf8") : end.found;
    };
    try {
      assert.equal(await go(""), "folder");
      assert.equal(await go("data/file"), "mine");
      assert.equal(await go("../../data/./file"), "mine", "the top of a disk is above itself");
      assert.equal(await go("same/file"), "mine", "on a disk, / is its top");
      assert.equal(await go("data/up/data/file"), "mine");
      assert.equal(await go("away/secret"), "missing");
      assert.equal(await go("near", { links: "volume" }), "mine", "links within a volume are followed");
      for (const path of ["away/secret", "data/up/secret", "same/file", "../secret"])
        assert.equal(await go(path, { links: "volume" }), "outside", path);
      assert.equal(await go("near", { links: "nowhere" }), "outside");
      await assert.rejects(go("round"), /ELOOP/);
      assert.equal(await go("data/file/below"), "missing");
      assert.equal(await go("new/one", { make: "file" }), "");
      assert.equal(await go("away/new", { make: "folder" }), "folder");
      await assert.rejects(readFile(join(top, "new")), { code: "ENOENT" });
    } finally {
      await rm(top, { recursive: true, force: true });
    }
  },
);

test(
  "a walk stays below its folder while folders and links are swapped",
  { skip: process.platform !== "linux" && "Linux only" },
  async () => {
    const top = await mkdtemp(join(tmpdir(), "walk-"));
    const root = join(top, "disk");
    await mkdir(join(root, "inner"), { recursive: true });
    await mkdir(join(top, "outer"));
    await writeFile(join(root, "inner/words"), "mine");
    await writeFile(join(top, "outer/words"), "secret");
    const script = `cd "$0"; while :; do mv inner aside; ln -s ../outer inner; rm inner; mv aside inner; done`;
    const swapper = spawn("sh", ["-c", script, root], { stdio: "ignore" });
    const ended = once(swapper, "exit");
    try {
      const seen = new Set<string>();
      for (let turn = 0; turn < 3000; turn++) {
        await using end = await walkInside({ root, path: "inner/words", links: "volume", make: "nothing" });
        seen.add(end.found === "file" ? await readFile(end.path, "utf8") : end.found);
      }
      for (const one of ["mine", "missing", "outside"]) seen.delete(one);
      assert.deepEqual([...seen], [], "what it finds is its own, or nothing");
    } finally {
      swapper.kill("SIGKILL");
      await ended;
      // The last command of the shell may still be running.
      await rm(top, { recursive: true, maxRetries: 100 });
    }
  },
);
