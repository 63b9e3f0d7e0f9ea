import assert from "node:assert/strict";
import { access, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeVolumeFiles } from "./real.ts";

test("the files of a volume are removed on the node's disk only, whatever pods have put in their way", async () => {
  const top = await mkdtemp(join(tmpdir(), "volumes-"));
  const disk = join(top, "disk");
  try {
    for (const folder of ["disk/volumes/one", "disk/elsewhere/one", "machine/one"])
      await mkdir(join(top, folder), { recursive: true });
    await removeVolumeFiles(top, "/volumes/one");
    await assert.rejects(access(join(disk, "volumes/one")));
    await rm(join(disk, "volumes"), { recursive: true });
    await symlink(join(top, "machine"), join(disk, "volumes"));
    await removeVolumeFiles(top, "/volumes/one");
    for (const path of ["/", "", "/..", "../machine", undefined]) await removeVolumeFiles(top, path);
    await access(join(top, "machine/one"));
    await access(join(disk, "elsewhere/one"));
  } finally {
    await rm(top, { recursive: true, force: true });
  }
});
