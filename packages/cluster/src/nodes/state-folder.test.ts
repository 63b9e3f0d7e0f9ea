import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStateFolder } from "./state-folder.ts";

test("a folder is created with its parents, and fails where that is impossible", async () => {
  const top = await mkdtemp(join(tmpdir(), "state-"));
  try {
    for (const _again of [1, 2]) {
      const { folder } = await openStateFolder({ data: join(top, "a/b") });
      assert.equal((await stat(folder)).isDirectory(), true);
    }
    await assert.rejects(openStateFolder({ data: "/proc/nowhere" }), { code: "ENOENT" });
  } finally {
    await rm(top, { recursive: true });
  }
});
