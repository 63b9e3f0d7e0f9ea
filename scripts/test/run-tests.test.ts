import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { spawnSync } from "node:child_process";

/** Runs a test file in a separate process: a runner cannot run inside a test of the same runner. */
function outcomeOf(
  text: string,
  more: { readonly [name: string]: string } = {},
  options: { readonly limitMs?: number; readonly secondAttempt?: boolean } = {},
): { passed: number; failed: number; skipped: number; ok: boolean; unfinished: number; unstable: number } {
  const folder = mkdtempSync(join(tmpdir(), "capstan-runner-"));
  const file = join(folder, "a.test.ts");
  writeFileSync(file, `import { after, describe, test } from "node:test";\nvoid [after, describe, test];\n${text}`);
  const program = `const { runTests } = await import(${JSON.stringify(import.meta.resolve("./run-tests.ts"))});
    const options = { quiet: true, ...${JSON.stringify(options)} };
    const { skipped, unfinished, unstable, ...rest } = await runTests([${JSON.stringify(file)}], options);
    const { ok, passed, failed } = rest;
    const counts = { skipped: skipped.length, unfinished: unfinished.length, unstable: unstable.length };
    console.log(JSON.stringify({ ok, passed, failed, ...counts }));`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const driver = join(folder, "driver.mjs");
  writeFileSync(driver, program);
  const { stdout } = spawnSync(process.execPath, [driver], { encoding: "utf8", env: { ...env, ...more } });
  rmSync(folder, { recursive: true });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as ReturnType<typeof outcomeOf>;
}

test("tests inside suites count once, and so do their failures", () => {
  assert.deepEqual(
    outcomeOf(`describe("s", () => { test("a", () => {}); test("b", () => { throw new Error("no"); }); });`),
    { ok: false, passed: 1, failed: 1, skipped: 0, unfinished: 0, unstable: 0 },
  );
});

test("a suite that fails by itself is a failure", () => {
  assert.equal(
    outcomeOf(`describe("s", () => { after(() => { throw new Error("no"); }); test("a", () => {}); });`).ok,
    false,
  );
});

test("a suite that is skipped is a skip", () => {
  assert.equal(
    outcomeOf(`test("a", () => {}); describe("s", { skip: "no reason" }, () => { test("b", () => {}); });`).skipped,
    1,
  );
});

test("a seed in the environment applies to every property", () => {
  const fastCheck = JSON.stringify(import.meta.resolve("fast-check"));
  const property = `import fc from ${fastCheck};
    test("a", () => { if (fc.readConfigureGlobal()?.seed !== 7) throw new Error("another seed"); });`;
  assert.equal(outcomeOf(property, { CAPSTAN_SEED: "7" }).ok, true);
  assert.equal(outcomeOf(property).ok, false);
});

test("an error that no test awaits is a failure", () => {
  const late = `new Promise((done) => setTimeout(done, 50))`;
  assert.equal(outcomeOf(`test("a", () => { void Promise.reject(new Error("no")); return ${late}; });`).ok, false);
  assert.equal(
    outcomeOf(`test("a", () => { setTimeout(() => { throw new Error("no"); }); return ${late}; });`).ok,
    false,
  );
  assert.equal(outcomeOf(`test("a", () => { setTimeout(() => { throw new Error("no"); }, 20); });`).ok, false);
});

test("async hooks of the tested code work", () => {
  const text = `import { createHook } from "node:async_hooks";
    test("a", async () => { let count = 0; createHook({ init: () => count++ }).enable(); await new Promise(setImmediate); if (count === 0) throw new Error("no"); });`;
  assert.equal(outcomeOf(text).ok, true);
});

test("a file without a test is a failure", () => {
  assert.equal(outcomeOf("").ok, false);
});

test("a file that still runs at the limit is ended, and is neither passed nor failed", () => {
  const { passed, failed, unfinished } = outcomeOf(
    `test("a", () => new Promise(() => setInterval(() => {})));`,
    {},
    { limitMs: 1 },
  );
  assert.deepEqual({ passed, failed, unfinished }, { passed: 0, failed: 0, unfinished: 1 });
});

test("a file that passes at the second attempt is reported as unstable", () => {
  const marker = join(mkdtempSync(join(tmpdir(), "capstan-attempt-")), "seen");
  const text = `import { existsSync, writeFileSync } from "node:fs";
    test("a", () => { if (!existsSync(${JSON.stringify(marker)})) { writeFileSync(${JSON.stringify(marker)}, ""); throw new Error("no"); } });`;
  const { ok, passed, failed, unstable } = outcomeOf(text, {}, { secondAttempt: true });
  assert.deepEqual({ ok, passed, failed, unstable }, { ok: true, passed: 1, failed: 0, unstable: 1 });
  rmSync(dirname(marker), { recursive: true });
});

test("a file that fails twice is a failure", () => {
  const { ok, unstable } = outcomeOf(`test("a", () => { throw new Error("no"); });`, {}, { secondAttempt: true });
  assert.deepEqual({ ok, unstable }, { ok: false, unstable: 0 });
});
