import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFinding } from "./findings.ts";
import { checkLayers, importsOf, isTest, type Layers, type Manifest, roomOf } from "./layers.ts";

const layers: Layers = {
  rules: [
    { room: "packages/low", may: [], sentence: "low knows nothing else" },
    { room: "packages/high", may: ["packages/low"], sentence: "high stands on low" },
  ],
  testsMay: [{ room: "packages/low", may: ["packages/high"], sentence: "low is tried with high" }],
  pure: { sentence: "low does no input or output: hand it in", rooms: ["packages/low"] },
  effects: { sentence: "", allowed: [] },
};

const manifest = (name: string, dependencies: string[] = []): Manifest => ({
  room: `packages/${name}`,
  name: `@capstan/${name}`,
  dependencies,
  devDependencies: [],
  exports: ["."],
});
const manifests = [manifest("low"), manifest("high", ["@capstan/low"])];
const wellUsed = { path: "packages/high/src/use.ts", text: `import { a } from "@capstan/low";` };

function sentences(path: string, text: string): string[] {
  return checkLayers([wellUsed, { path, text }], manifests, layers).map(formatFinding);
}

test("an import that the rules allow is accepted", () => {
  assert.deepEqual(sentences("packages/high/src/a.ts", `import type { a } from "@capstan/low";`), []);
});

test("an upward import names the rule and the fix", () => {
  const [sentence = ""] = sentences("packages/low/src/a.ts", `import { b } from "@capstan/high";`);
  assert.match(
    sentence,
    /^packages\/low\/src\/a\.ts:1: packages\/low imports packages\/high, but low knows nothing else; move the code/,
  );
});

test("a test may import what testsMay adds", () => {
  assert.deepEqual(sentences("packages/low/src/a.test.ts", `import { b } from "@capstan/high";`), []);
});

test("a deep import is rejected by name and by path", () => {
  assert.match(
    sentences("packages/high/src/a.ts", `import { a } from "@capstan/low/src/a.ts";`)[0] ?? "",
    /is not exported by @capstan\/low/,
  );
  assert.match(sentences("packages/high/src/a.ts", `export * from "../../low/src/a.ts";`)[0] ?? "", /deep import/);
});

test("an import inside generated code is not an import of the program", () => {
  assert.deepEqual(sentences("packages/low/src/a.ts", 'const text = `\nimport { b } from "@capstan/high";\n`;'), []);
});

test("comments, options and commas hide no import, and a computed one is rejected", () => {
  const hidden = [
    'import(/* x */ "@capstan/high")',
    'import("@capstan/high", { with: {} })',
    '/** doc */ import { b } from "@capstan/high";',
  ];
  for (const text of hidden)
    assert.match(sentences("packages/low/src/a.ts", text)[0] ?? "", /packages\/low imports packages\/high/, text);
  assert.deepEqual(sentences("packages/low/src/a.ts", '/* import { b } from "@capstan/high"; */'), []);
  assert.match(
    sentences("packages/low/src/a.ts", "const m = await import(name);")[0] ?? "",
    /import of something computed/,
  );
});

test("a pure package may not import Node", () => {
  assert.match(
    sentences("packages/low/src/a.ts", `import fs from "node:fs";`)[0] ?? "",
    /packages\/low imports node:fs; low does no input/,
  );
});

test("an undeclared package is rejected", () => {
  assert.match(
    sentences("packages/high/src/a.ts", `const m = await import("left-pad");`)[0] ?? "",
    /"left-pad" is not a dependency of @capstan\/high/,
  );
});

test("a cycle is reported with its path, and type-only imports do not count", () => {
  const cycle = [
    { path: "packages/high/src/a.ts", text: `import { b } from "./b.ts";` },
    { path: "packages/high/src/b.ts", text: `import { a } from "./a.ts";` },
  ];
  const found = checkLayers([wellUsed, ...cycle], manifests, layers).map(formatFinding);
  assert.match(
    found[0] ?? "",
    /import cycle packages\/high\/src\/a\.ts -> packages\/high\/src\/b\.ts -> packages\/high\/src\/a\.ts/,
  );
  const typed = [cycle[0] ?? wellUsed, { path: "packages/high/src/b.ts", text: `import type { a } from "./a.ts";` }];
  assert.deepEqual(checkLayers([wellUsed, ...typed], manifests, layers), []);
});

test("a package.json that disagrees with the imports is reported both ways", () => {
  const lacking = checkLayers([wellUsed], [manifest("low"), manifest("high")], layers).map(formatFinding);
  assert.match(lacking.join("\n"), /packages\/high\/package\.json: @capstan\/low is imported but not listed/);
  const idle = checkLayers([], manifests, layers).map(formatFinding);
  assert.match(idle.join("\n"), /packages\/high\/package\.json: @capstan\/low is listed but never imported/);
});

test("imports are found in every form, packages and tests by their path", () => {
  const text = `import a from "a";\nimport {\n  b,\n} from 'b';\nexport * from "c";\nimport "d";\nconst e = await import("e");`;
  assert.deepEqual(
    importsOf({ path: "x.ts", text }).map(({ specifier, line }) => [specifier, line]),
    [
      ["a", 1],
      ["b", 4],
      ["c", 5],
      ["d", 6],
      ["e", 7],
    ],
  );
  assert.equal(roomOf("packages/cel/src/lexer.ts"), "packages/cel");
  assert.equal(roomOf("bench/queue.ts"), "bench");
  assert.equal(isTest("packages/cel/test/vectors.ts"), true);
  assert.equal(isTest("packages/cel/src/lexer.ts"), false);
});
