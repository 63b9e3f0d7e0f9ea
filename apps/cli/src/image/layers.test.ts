import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dependencyEntries } from "./layers.ts";

test("of our published packages, the image has what was built and not the sources", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "layers-"));
  t.after(() => rmSync(root, { recursive: true }));
  const paths: string[] = [];
  for (const name of ["@capstan/runtime", "other"]) {
    const folder = join(root, "node_modules", name);
    for (const file of ["dist/index.js", "src/index.ts", "dist/index.js.map"]) {
      mkdirSync(join(folder, file, ".."), { recursive: true });
      writeFileSync(join(folder, file), "");
    }
    const entries = await dependencyEntries(
      [{ name, folder, linked: false, version: "1.0.0", licence: undefined }],
      [],
    );
    paths.push(...entries.filter(({ type }) => type === "file").map(({ path }) => path));
  }
  assert.deepEqual(paths.sort(), [
    "/operator/node_modules/@capstan/runtime/dist/index.js",
    "/operator/node_modules/other/dist/index.js",
  ]);
});
