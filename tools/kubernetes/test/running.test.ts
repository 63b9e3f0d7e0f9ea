import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { findComponents, processMark } from "../src/processes.ts";
import { assertRunning } from "../src/sandbox.ts";

/** What a service is before it has entered its namespaces. */
async function startEntering(t: TestContext, folder: string): Promise<ChildProcess> {
  const program = join(folder, "nsenter");
  copyFileSync("/bin/sleep", program);
  const child = spawn(program, ["1000"], { env: processMark(folder, "kube-scheduler"), stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

test("a service that is still entering its namespaces counts as running", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-running-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const child = await startEntering(t, folder);
  assert.deepEqual(findComponents(folder), []);
  assertRunning(folder, "kube-scheduler");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.throws(() => assertRunning(folder, "kube-scheduler"), /kube-scheduler ended while it should run/u);
});
