import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openTypeChecker, typeErrorsText } from "./type-checker.ts";

const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

function project(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "types-"));
  t.after(() => rmSync(root, { recursive: true }));
  symlinkSync(modules, join(root, "node_modules"));
  const compilerOptions = { strict: true, noEmit: true, types: [], lib: ["es2023"] };
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  return root;
}

test("errors and their end are reported; an outdated check reports nothing", async (t) => {
  const root = project(t);
  const answers: (readonly string[])[] = [];
  let next = Promise.withResolvers<readonly string[]>();
  using checker = openTypeChecker(root, (errors) => {
    answers.push(errors);
    next.resolve(errors);
  });
  const checked = async (source: string): Promise<readonly string[]> => {
    writeFileSync(join(root, "main.ts"), source);
    next = Promise.withResolvers();
    checker.check();
    return await next.promise;
  };
  const [error = "", ...others] = await checked('export const size: number = "three";\n');
  assert.match(error, /^main\.ts\(1,14\): error TS2322: /u);
  assert.deepEqual(others, []);
  checker.check();
  assert.deepEqual(await checked("export const size: number = 3;\n"), []);
  assert.equal(answers.length, 2);
});

test("a project without a compiler, or without its settings, is not checked", (t) => {
  const root = mkdtempSync(join(tmpdir(), "types-"));
  t.after(() => rmSync(root, { recursive: true }));
  using checker = openTypeChecker(root, () => assert.fail("there is nothing to check with"));
  checker.check();
  writeFileSync(join(root, "tsconfig.json"), "{}");
  checker.check();
});

test("reported errors are not repeated at length", () => {
  const some = ["a.ts(1,1): error TS1: x", "a.ts(2,1): error TS1: y"];
  assert.equal(typeErrorsText([], []), undefined);
  assert.equal(typeErrorsText(some, []), "2 type errors:\n  a.ts(1,1): error TS1: x\n  a.ts(2,1): error TS1: y");
  assert.equal(typeErrorsText(some, some), "2 type errors, as before");
  assert.equal(typeErrorsText([], some), "no type errors any more");
  assert.match(typeErrorsText(Array<string>(9).fill("e"), []) ?? "", /\n {2}and 4 more$/u);
});
