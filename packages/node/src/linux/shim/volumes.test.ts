import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeInside, type Run } from "./volumes.ts";

const run: Run = ([program = "", ...args]) =>
  new Promise((resolve) => {
    execFile(program, args, (error, _stdout, stderr) => resolve({ code: error === null ? 0 : 1, stderr }));
  });

test("a removal affects only the disk, whatever links pods have planted", async () => {
  const top = await mkdtemp(join(tmpdir(), "volumes-"));
  const root = join(top, "disk");
  const remove = (path: string): Promise<void> => removeInside({ root, path }, run);
  try {
    for (const folder of ["disk/volumes/one", "disk/elsewhere/one", "machine/one"])
      await mkdir(join(top, folder), { recursive: true });
    await writeFile(join(root, "volumes/one/file"), "");
    await remove("/volumes/one");
    await assert.rejects(access(join(root, "volumes/one")));
    await rm(join(root, "volumes"), { recursive: true });
    await symlink(join(top, "machine"), join(root, "volumes"));
    await symlink(join(top, "machine"), join(root, "elsewhere/one/link"));
    await remove("/volumes/one");
    for (const path of ["/", "", "/..", "../machine", "elsewhere/.."]) await remove(path);
    await access(join(root, "elsewhere/one"));
    await remove("elsewhere/one");
    await assert.rejects(access(join(root, "elsewhere/one")));
    await access(join(top, "machine/one"));
  } finally {
    await rm(top, { recursive: true, force: true });
  }
});
