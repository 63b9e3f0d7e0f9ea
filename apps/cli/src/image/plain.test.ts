import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { test } from "node:test";
import type { LayerEntry } from "@capstan/oci";
import { toPlain } from "./plain.ts";

const strip = async (sources: readonly string[]): Promise<readonly string[]> =>
  sources.map((source) => stripTypeScriptTypes(source));

async function plainOf(files: { readonly [path: string]: string }): Promise<{ readonly [path: string]: string }> {
  const entries = Object.entries(files).map(([path, body]): LayerEntry => ({ path, type: "file", body }));
  return Object.fromEntries((await toPlain(entries, strip)).map(({ path, body = "" }) => [path, String(body)]));
}

test("files and the references to them are renamed together", async () => {
  const plain = await plainOf({
    "/operator/src/main.ts": `import { a } from "./a.ts";\nimport b from './deep/b.mts';\nconst c = await import("../c.cts");\nfork(new URL("./a.ts", import.meta.url));\nexport const n: number = a + b + c;\n`,
    "/operator/src/a.ts": "export const a: number = 1;\n",
    "/operator/src/deep/b.mts": "export { a as default } from '../a.ts';\n",
    "/operator/c.cts": "export const c = 3;\n",
    "/operator/start.js": 'import "./src/main.ts";\n',
  });
  assert.deepEqual(plain, {
    "/operator/src/main.js": `import { a } from "./a.js";\nimport b from './deep/b.mjs';\nconst c = await import("../c.cjs");\nfork(new URL("./a.js", import.meta.url));\nexport const n         = a + b + c;\n`,
    "/operator/src/a.js": "export const a         = 1;\n",
    "/operator/src/deep/b.mjs": "export { a as default } from '../a.js';\n",
    "/operator/c.cjs": "export const c = 3;\n",
    "/operator/start.js": 'import "./src/main.js";\n',
  });
});

test("text that only looks like a file, and missing files, stay as they are", async () => {
  const text = `const note = "see ./other.ts"; const gone = "./gone.ts"; const types = "./t.d.ts";\n`;
  const files = { "/o/main.js": text, "/o/t.d.ts": "export type T = 1;\n", "/o/data.json": '"./main.ts"' };
  assert.deepEqual(await plainOf(files), files);
});

test("if both files exist, both stay", async () => {
  const files = {
    "/o/a.ts": "export const a: 1 = 1;\n",
    "/o/a.js": "export const a = 2;\n",
    "/o/main.js": 'import "./a.ts";\n',
  };
  assert.deepEqual(await plainOf(files), files);
});

test("package.json points to the renamed files and keeps its other fields", async () => {
  const exports = {
    ".": { source: "./src/index.ts", default: "./dist/index.js" },
    "./x/*": { source: "./src/x/*.ts" },
  };
  const plain = await plainOf({
    "/p/package.json": JSON.stringify({ name: "p", description: "in ./src/index.ts", main: "./src/index.ts", exports }),
    "/p/src/index.ts": "export {};\n",
  });
  assert.deepEqual(JSON.parse(plain["/p/package.json"] ?? ""), {
    name: "p",
    description: "in ./src/index.ts",
    main: "./src/index.js",
    exports: { ".": { source: "./src/index.js", default: "./dist/index.js" }, "./x/*": { source: "./src/x/*.js" } },
  });
});
