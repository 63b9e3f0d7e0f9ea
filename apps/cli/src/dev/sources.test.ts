import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { watchSources } from "./sources.ts";

/** A folder with watched sources, and the reported changes. */
function watched(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "sources-"));
  mkdirSync(join(root, "src"));
  const seen: string[] = [];
  const failures: Error[] = [];
  const sources = watchSources(root, {
    changed: (path) => seen.push(path),
    failed: (error) => failures.push(error),
  });
  t.after(() => (sources[Symbol.dispose](), rmSync(root, { recursive: true })));
  return { root, seen, failures };
}

/** Writes until the change is reported: a new folder may be watched a moment later. */
async function untilNoticed(file: string, seen: readonly string[]): Promise<void> {
  for (const end = Date.now() + 60_000; !seen.includes(file);) {
    assert.ok(Date.now() < end, `${file} was never noticed`);
    writeFileSync(file, `export const now = ${Date.now()};\n`);
    await wait(100);
  }
}

test("folders may be created and removed while they are read", async (t) => {
  const { root, seen, failures } = watched(t);
  // In a separate process: within one thread there is no race.
  const somebody = spawn("sh", ["-c", "for n in $(seq 400); do mkdir -p src/x$n/y/z; rm -r src/x$n; done"], {
    cwd: root,
  });
  assert.deepEqual(await once(somebody, "exit"), [0, null]);
  await untilNoticed(join(root, "src", "main.ts"), seen);
  assert.deepEqual(failures, []);
});

test("a folder that replaces another is watched, too", async (t) => {
  const { root, seen } = watched(t);
  await untilNoticed(join(root, "src", "before.ts"), seen);
  rmSync(join(root, "src"), { recursive: true });
  mkdirSync(join(root, "src"));
  await untilNoticed(join(root, "src", "after.ts"), seen);
});
