/** Where this program's own files are: the sources in a checkout, what was built from them elsewhere. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with this program's package.json; a bundle may put this file anywhere below it. */
export const ownFolder: string = findFolder(dirname(fileURLToPath(import.meta.url)));

/** A program of ours that is started in a process of its own, by its name below src without the ending. */
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
