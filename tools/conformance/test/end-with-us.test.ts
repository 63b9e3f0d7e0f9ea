import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

/** Starts a program that waits for ten minutes, and waits for it. */
const PROGRAM = `
  import { spawn } from "node:child_process";
  import { endOnSignals, endWithUs } from ${JSON.stringify(import.meta.resolve("../src/end-with-us.ts"))};
  endOnSignals();
  const child = spawn("sh", ["-c", "echo here; exec sleep 600"], { stdio: "inherit" });
  endWithUs(child);
`;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`a program that was started ends when ${signal} ends the one that started it`, { timeout: 60_000 }, async () => {
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface(parent.stdout);
    assert.deepEqual(await once(lines, "line"), ["here"]);
    // Both hold the other end of this pipe: it closes when both have ended.
    const closed = once(lines, "close");
    const ended = once(parent, "exit");
    parent.kill(signal);
    assert.deepEqual(await ended, [130, null]);
    await closed;
  });
}
