/** Finds this program's own files: the sources in a checkout, the build output elsewhere. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with this program's package.json; a bundler may put this file anywhere below it. */
export const ownFolder: string = findFolder(dirname(fileURLToPath(import.meta.url)));

/** A program of this package that runs in a separate process, by its path below src without the extension. */
export function ownProgram(name: string): string {
  const fromSource = import.meta.url.endsWith(".ts");
  return join(ownFolder, fromSource ? `src/${name}.ts` : `dist/${name}.js`);
}

function findFolder(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error("the capstan command is not inside its package: install it again");
  return findFolder(above);
}
