import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { skip as skipPods, testArchives } from "./real-world.ts";

const nobody = "65534";
const skip =
  process.getuid?.() === 0
    ? skipPods
    : "only root can become somebody else; whoever is not root runs all tests as a user anyway";

test("an unprivileged user runs pods, reaches them, and enters them", { skip }, async () => {
  const folder = await mkdtemp("/tmp/archives-");
  try {
    await chmod(folder, 0o755);
    const archives = (await testArchives()).map(async (archive) => {
      const copy = join(folder, basename(archive));
      await copyFile(archive, copy);
      await chmod(copy, 0o644);
      return copy;
    });
    const program = new URL("./as-user.ts", import.meta.url).pathname;
    const become = ["--reuid", nobody, "--regid", nobody, "--clear-groups", "--no-new-privs", "--"];
    const node = [process.execPath, "--conditions=@capstan/source", program, ...(await Promise.all(archives))];
    // The PATH of users, without the system folders.
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, TMPDIR: "/tmp" };
    const options = { env, timeout: 600_000 };
    const { stdout } = await promisify(execFile)("setpriv", [...become, ...node], options);
    const said = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { readonly [key: string]: unknown };
    assert.deepEqual([said["uid"], said["phase"], said["exec"]], [65534, "Succeeded", "hello 1234"]);
    assert.match(String(said["asked"]), /^1234\nVERSION 1\.6[^]*written\n$/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
