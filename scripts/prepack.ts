/** Builds the packages before one of them is packed, unless they are built since their sources changed. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const folders = globSync(["packages/*/package.json", "apps/*/package.json"]).map(dirname);
const newestSource = Math.max(...globSync(["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"]).map(timeOf));
const isBuilt = folders.every((folder) => {
  const entry = ["dist/index.js", "dist/main.js"].map((file) => join(folder, file)).find(existsSync);
  return entry !== undefined && timeOf(entry) > newestSource;
});
if (!isBuilt) execFileSync(process.execPath, ["scripts/build.ts"], { stdio: ["ignore", process.stderr, "inherit"] });

function timeOf(file: string): number {
  return statSync(file).mtimeMs;
}
