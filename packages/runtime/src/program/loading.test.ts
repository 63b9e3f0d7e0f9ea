import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { operator } from "../operator.ts";
import { isMain, loadWithoutRunning } from "./loading.ts";

test("a module that runs its operator unguarded can be loaded without running it", async () => {
  const app = operator({ name: "test", controllers: [] });
  const { loaded, wouldRun } = await loadWithoutRunning(async () => {
    await app.run();
    return "the module";
  });
  assert.deepEqual([loaded, wouldRun], ["the module", [app]]);
});

test("a module that fails to load leaves nothing behind", async () => {
  const failing = async (): Promise<never> => {
    throw new Error("broken");
  };
  await assert.rejects(loadWithoutRunning(failing), /broken/u);
  assert.deepEqual((await loadWithoutRunning(async () => 1)).wouldRun, []);
});

test("the main program is recognized with and without import.meta.main, also by a link", (t) => {
  const here = fileURLToPath(import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), "main-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const link = join(folder, "linked.ts");
  symlinkSync(here, link);
  const url = pathToFileURL(here).href;
  assert.equal(isMain({ url, main: true }, undefined), true);
  assert.equal(isMain({ url, main: false }, here), false);
  assert.equal(isMain({ url }, here), true, "before Node 24.2");
  assert.equal(isMain({ url }, link), true);
  assert.equal(isMain({ url }, join(folder, "other.ts")), false);
  assert.equal(isMain({ url: "data:text/javascript," }, here), false);
  assert.equal(isMain({ url }, undefined), false, "node --eval");
});

test("a program that is started runs, one that is imported does not", () => {
  const main = fileURLToPath(new URL("../../../../examples/01-minimal/main.ts", import.meta.url));
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["--conditions=@capstan/source", ...args], { encoding: "utf8", timeout: 60_000 });
  assert.match(run(main, "--help").stdout, /^Runs the operator/u);
  const imported = run("--input-type=module", "--eval", `await import(${JSON.stringify(pathToFileURL(main).href)});`);
  assert.deepEqual([imported.status, imported.stdout], [0, ""], imported.stderr);
});
