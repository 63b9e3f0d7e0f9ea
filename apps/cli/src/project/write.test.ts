import assert from "node:assert/strict";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { FileChange } from "@capstan/scaffold";
import { toCliError } from "../errors.ts";
import { readText } from "./disk.ts";
import { type Disk, realDisk, writeChanges } from "./write.ts";

const changes: readonly FileChange[] = [
  { path: "a.ts", action: "update", text: "new a\n" },
  { path: "deep/er/b.ts", action: "create", text: "new b\n" },
  { path: "deep/c.ts", action: "create", text: "new c\n" },
  { path: "kept.ts", action: "leave", why: "it is mine" },
  { path: "run.sh", action: "update", text: "new run\n" },
  { path: "z.ts", action: "delete" },
  { path: "zz.ts", action: "delete" },
];
const before = { "a.ts": "a\n", "kept.ts": "kept\n", "run.sh": "run\n", "z.ts": "z\n", "zz.ts": "zz\n" };
const after = {
  "a.ts": "new a\n",
  "deep/c.ts": "new c\n",
  "deep/er/b.ts": "new b\n",
  "kept.ts": "kept\n",
  "run.sh": "new run\n",
};

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-write-"));
  try {
    for (const [path, text] of Object.entries(before)) await writeFile(join(folder, path), text);
    await chmod(join(folder, "run.sh"), 0o755);
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Every file with its text, and every folder. */
async function contents(folder: string): Promise<{ [path: string]: string }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.sort().map(async (path) => [path.slice(folder.length + 1), await readFile(path, "utf8")] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** A disk that fails at one step, and the name of that step. */
function failingAt(step: number): { readonly disk: Disk; readonly failed: () => string | undefined } {
  let left = step;
  let failed: string | undefined;
  const refusing =
    <A extends readonly unknown[], T>(name: string, work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (left-- === 0) {
        failed = `${name} ${String(args[0])}`;
        throw Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM", syscall: "rename" });
      }
      return work(...args);
    };
  const { makeFolder, write, copy, move, remove } = realDisk;
  const disk = {
    ...realDisk,
    makeFolder: refusing("makeFolder", makeFolder),
    write: refusing("write", write),
    copy: refusing("copy", copy),
    move: refusing("move", move),
    remove: refusing("remove", remove),
  };
  return { disk, failed: () => failed };
}

test("changes are written, modes are kept, and no other file is left", () =>
  withFolder(async (folder) => {
    await writeChanges(folder, changes);
    assert.deepEqual(await contents(folder), after);
    assert.equal((await stat(join(folder, "run.sh"))).mode & 0o777, 0o755);
  }));

test("a link stays a link, and its target is changed", () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, "elsewhere"));
    await writeFile(join(folder, "elsewhere/real.ts"), "a\n");
    await rm(join(folder, "a.ts"));
    await symlink("elsewhere/real.ts", join(folder, "a.ts"));
    await writeChanges(folder, changes);
    assert.ok((await lstat(join(folder, "a.ts"))).isSymbolicLink());
    const { "a.ts": _, ...others } = after;
    assert.deepEqual(await contents(folder), { ...others, "elsewhere/real.ts": "new a\n" });
  }));

test("a failure at any step leaves all changes or none", async () => {
  const steps: string[] = [];
  const failAt = async (step: number): Promise<"failed" | "passed"> => {
    let ending: "failed" | "passed" = "failed";
    await withFolder(async (folder) => {
      const { disk, failed } = failingAt(step);
      const error = await writeChanges(folder, changes, disk).catch((thrown: unknown) => thrown);
      const name = failed();
      if (name === undefined) {
        ending = "passed";
        return assert.equal(error, undefined);
      }
      steps.push(name.replace(`${folder}/`, ""));
      const { code, message } = toCliError(error);
      assert.equal(code, "Disk", name);
      assert.match(message, new RegExp(`^cannot write ${folder}/\\S+: that is not allowed here`), name);
      const found = await contents(folder);
      // At the end only copies of old texts are removed; some of those may stay.
      const isDone = /^remove .*\.capstan-old$/.test(steps.at(-1) ?? "");
      const kept = Object.fromEntries(
        Object.entries(found).filter(([path]) => !isDone || !path.endsWith(".capstan-old")),
      );
      assert.deepEqual(kept, isDone ? after : before, name);
      if (!isDone) assert.ok(!(await readdir(folder)).includes("deep"), name);
      assert.equal((await stat(join(folder, "run.sh"))).mode & 0o777, 0o755, name);
    });
    return ending;
  };
  let step = 0;
  while ((await failAt(step)) === "failed") step++;
  for (const step of ["move a.ts.capstan-new", "move run.sh.capstan-new", "remove z.ts", "remove zz.ts"])
    assert.ok(steps.includes(step), `${step} in ${steps.join(", ")}`);
});

test("a failed rollback is reported", () =>
  withFolder(async (folder) => {
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { code: "EROFS" }));
    let moves = 0;
    const move: Disk["move"] = (from, to) => (moves++ === 0 ? realDisk.move(from, to) : refuse());
    await assert.rejects(
      writeChanges(folder, changes, { ...realDisk, move }),
      /writing failed, and so did taking it back/,
    );
  }));

test("a path where no folder can be created fails and does not hang", async () => {
  const error = await writeChanges("/proc/foo", changes).catch(toCliError);
  assert.ok(error instanceof Error);
  assert.equal(error.message, "cannot make /proc/foo: no folder can be made there (ENOENT)");
});

test("disk errors contain the path, also where the system omits it", () =>
  withFolder(async (folder) => {
    const refusal = async (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => "",
        (error: unknown) => toCliError(error).message,
      );
    assert.equal(await refusal(readText(folder)), `cannot read ${folder}: it is a folder (EISDIR)`);
    const below = join(folder, "a.ts/b");
    assert.equal(
      await refusal(readText(below)),
      `cannot open ${below}: there is a file where a folder must be (ENOTDIR)`,
    );
    const full = writeChanges(folder, changes, { ...realDisk, write: () => writeFile("/dev/full", "x") });
    assert.equal(await refusal(full), `cannot write ${folder}/a.ts: the disk is full (ENOSPC)`);
  }));
