/** The oracle's inputs: all real bundles, and mutants by their seeds. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The recorded results. */
export type Recording = "operatorhub" | "mutants" | "scorecard";

/** All distinct lines, and for each input the indexes of its lines. */
export interface Recorded {
  readonly lines: readonly string[];
  readonly answers: readonly (readonly [name: string, said: readonly number[]])[];
}

/** The values that optional validators are handed. */
export const values: readonly { readonly [key: string]: string }[] = [{}, { "k8s-version": "1.25" }];

/** The seeds of broken bundles. */
export const mutantSeeds: readonly number[] = Array.from({ length: 800 }, (_, at) => at + 1);

/** Real bundles lie beside the checkout, if anywhere. */
export const hubFolder: string = fileURLToPath(
  new URL("../../../../../shared/data/operatorhub/bundles", import.meta.url),
);

/** Every real bundle. */
export function hubBundles(): { readonly name: string; readonly dir: string }[] {
  if (!existsSync(hubFolder)) return [];
  const foldersOf = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  return foldersOf(hubFolder).flatMap((operator) =>
    foldersOf(join(hubFolder, operator)).map((version) => ({
      name: `${operator}/${version}`,
      dir: join(hubFolder, operator, version),
    })),
  );
}

/** Puts files into a folder. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The files below a folder. */
export function filesBelow(folder: string): [string, Uint8Array][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), readFileSync(path)]);
}

/** The recorded results. */
export function readRecorded(name: Recording): Recorded {
  return JSON.parse(readFileSync(new URL(`../fixtures/generated/${name}.json`, import.meta.url), "utf8")) as Recorded;
}
