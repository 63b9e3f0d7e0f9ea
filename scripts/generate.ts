/** Writes the generated pages of the documentation; `npm run check` compares them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { generatedPages } from "./generate/pages.ts";

for (const { file, text } of await generatedPages()) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${file}`);
}
