import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";

import { takeLock } from "./lock.ts";

test("only one holds a lock at a time, and all get their turn", async () => {
  const events: string[] = [];
  const turn = async (): Promise<void> => {
    await using _lock = await takeLock("/lock.test/turns");
    events.push("in");
    await new Promise((resolve) => setImmediate(resolve));
    events.push("out");
  };
  await Promise.all([turn(), turn(), turn()]);
  assert.deepEqual(events, ["in", "out", "in", "out", "in", "out"]);
});

test("locks on different paths do not know each other", async () => {
  await using _one = await takeLock("/lock.test/one");
  await using _two = await takeLock("/lock.test/two");
});

test("a lock is free when its holder was killed", async () => {
  const source = `import { takeLock } from ${JSON.stringify(new URL("lock.ts", import.meta.url).href)};
    await takeLock("/lock.test/killed"); console.log("held"); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  let waited = false;
  const taken = takeLock("/lock.test/killed", {
    whenWaiting: () => {
      waited = true;
      holder.kill("SIGKILL");
    },
  });
  await using _lock = await taken;
  assert.ok(waited);
});

test("a waiter can give up", async () => {
  await using _held = await takeLock("/lock.test/abort");
  const controller = new AbortController();
  const reason = new Error("enough");
  const waiting = takeLock("/lock.test/abort", {
    signal: controller.signal,
    whenWaiting: () => setImmediate(() => controller.abort(reason)),
  });
  await assert.rejects(waiting, reason);
});
