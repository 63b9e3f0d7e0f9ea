import assert from "node:assert/strict";
import { test } from "node:test";
import { examplesIn, examplesOfPage, exportsOf, moduleOf, publicNames } from "./examples.ts";

const texts: { readonly [file: string]: string } = {
  "packages/facade/src/index.ts": `export { one, two as second } from "@x/core";\nexport type { Three } from "./three.ts";\n`,
  "packages/core/src/index.ts": `export { one } from "./one.ts";\n/** Two. */\nexport function two(): void {}\n`,
  "packages/core/src/one.ts": `/**\n * One.\n *\n * @example\n * one(1);\n */\nexport const one = (n: number): number => n;\n`,
  "packages/facade/src/three.ts": `/** Three.\n * @example\n * const three: Three = {};\n */\nexport interface Three {}\n`,
};
const files = {
  read: (file: string) => texts[file] ?? "",
  resolve: (name: string) => (name === "@x/core" ? "packages/core/src/index.ts" : undefined),
};

test("names are resolved to their declarations, through packages and aliases", () => {
  const names = publicNames("facade", "packages/facade/src/index.ts", files);
  assert.deepEqual(
    names.map(({ name, file, line, examples }) => [name, file, line, examples]),
    [
      ["one", "packages/core/src/one.ts", 7, ["one(1);"]],
      ["second", "packages/core/src/index.ts", 3, []],
      ["Three", "packages/facade/src/three.ts", 5, ["const three: Three = {};"]],
    ],
  );
});

test("a comment may have several examples, with or without fences", () => {
  const comment =
    "/**\n * Text.\n *\n * @example\n * ```ts\n * a();\n *\n * b();\n * ```\n *\n * @example\n * c();\n */";
  assert.deepEqual(examplesIn(comment), ["a();\n\nb();", "c();"]);
  assert.deepEqual(examplesIn("/** Text. */"), []);
});

test("multi-line lists, types among values and declarations are exports", () => {
  const text =
    'export {\n  a,\n  type B,\n  c as d,\n} from "./x.ts";\nexport async function e() {}\nexport abstract class F {}\n';
  assert.deepEqual(
    exportsOf(text).map(({ name }) => name),
    ["a", "B", "d", "e", "F"],
  );
});

test("an example imports what it uses and does not declare", () => {
  const own = { name: "watch", module: "capstan", file: "", line: 1, comment: "", examples: [] };
  const known = new Map([
    ["watch", "capstan/other"],
    ["every", "capstan"],
    ["map", "capstan"],
  ]);
  const module = moduleOf('const map = watch(Pod, () => ["every"]);', known, own);
  assert.equal(
    module,
    'import { watch } from "capstan";\nimport { Pod } from "capstan/kinds/v1";\nconst map = watch(Pod, () => ["every"]);\nexport {};\n',
  );
});

test("examples of a page are its marked TypeScript blocks, with their lines", () => {
  const page =
    "# Page\n\n```ts\nnot();\n```\n\n<!-- example -->\n\n```ts\none();\n```\n\n<!-- example -->\n\n```go\nx\n```\n";
  assert.deepEqual(
    examplesOfPage("docs/guide/page.md", page).map(({ name, line, examples }) => [name, line, examples]),
    [["page-1", 7, ["one();\n"]]],
  );
});
