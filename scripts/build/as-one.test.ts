import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { asOne } from "./as-one.ts";

const files = {
  "package.json": JSON.stringify({ name: "some", type: "module", sideEffects: false }),
  "index.ts": `
    import { a } from "./a.ts"; import { b } from "./b.ts"; import { c } from "./c.ts";
    export const sum = a + b + c;
    export const late = async () => (await import("./late.ts")).late;`,
  "other.ts": `import { a } from "./a.ts"; import { b } from "./b.ts"; export const other = a - b;`,
  "late.ts": `import { b } from "./b.ts"; import { c } from "./c.ts"; export const late = b * c;`,
  "a.ts": "export const a = Math.random();",
  "b.ts": "export const b = Math.random();",
  "c.ts": "export const c = Math.random();",
};

test("the first entry loads two files, and lazily loaded parts stay lazy", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "as-one-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const options = {
    absWorkingDir: folder,
    entryPoints: ["./index.ts", "./other.ts"],
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm" as const,
  };
  const built = await build({ ...(await asOne(options)), metafile: true });
  const { outputs } = built.metafile;
  const loaded = new Set(["dist/index.js"]);
  for (const file of loaded) {
    for (const { kind, path } of outputs[file]?.imports ?? []) if (kind === "import-statement") loaded.add(path);
  }
  assert.equal(loaded.size, 2);
  const inside = [...loaded].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  assert.deepEqual(inside.sort(), ["a.ts", "b.ts", "c.ts", "index.ts"]);
  assert.equal(built.warnings.length, 0);
  const { sum, late } = (await import(join(folder, "dist/index.js"))) as { sum: number; late: () => Promise<number> };
  assert.equal(typeof sum, "number");
  assert.equal(typeof (await late()), "number");
});
