import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openState } from "./state.ts";

test("a folder is made with those above it, and refused where nothing can be made", async () => {
  const top = await mkdtemp(join(tmpdir(), "state-"));
  try {
    for (const _again of [1, 2]) {
      const { folder } = await openState({ data: join(top, "a/b") });
      assert.equal((await stat(folder)).isDirectory(), true);
    }
    await assert.rejects(openState({ data: "/proc/nowhere" }), { code: "ENOENT" });
  } finally {
    await rm(top, { recursive: true });
  }
});
