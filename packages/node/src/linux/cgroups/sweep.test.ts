import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sweep, treeName } from "./sweep.ts";

const skip = process.platform === "linux" ? false : "only Linux has control groups";
/** Larger than any process id. */
const nobody = 2 ** 30;

test("trees of dead processes are removed; live and foreign ones stay", { skip }, async () => {
  const root = await mkdtemp(join(tmpdir(), "sweep-"));
  try {
    const [dead, alive] = await Promise.all([treeName(nobody, "x"), treeName(process.pid, "x")]);
    const foreign = `${nobody}-1-x`;
    const trees = [
      `capstan/${dead}/kubepods/pod1`,
      `capstan/${alive}/kubepods`,
      `user/session/capstan/${dead}/a/b`,
      `user/other/capstan/${foreign}/a`,
    ];
    for (const tree of trees) await mkdir(join(root, tree), { recursive: true });
    await sweep(root);
    assert.deepEqual((await readdir(root, { recursive: true })).toSorted(), [
      "capstan",
      `capstan/${alive}`,
      `capstan/${alive}/kubepods`,
      "user",
      "user/other",
      "user/other/capstan",
      `user/other/capstan/${foreign}`,
      `user/other/capstan/${foreign}/a`,
      "user/session",
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
