/** The names that users import: the exports of the package `capstan` and its subpaths, except generated kinds. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Files, publicNames, type PublicName } from "./examples.ts";
import { listFiles } from "./sources.ts";

/** All of them, by module, in the order of the exports. */
export function facadeNames(): readonly PublicName[] {
  const files = packageFiles();
  return allEntryPoints()
    .filter(([name]) => /^capstan(?:\/|$)/.test(name) && !name.includes("*"))
    .flatMap(([name, file]) => publicNames(name, file, files));
}

/** The sources of all packages, by file and by name. */
export function packageFiles(): Files {
  const sourceOf = new Map(allEntryPoints());
  return { read: (file) => readFileSync(file, "utf8"), resolve: (name) => sourceOf.get(name) };
}

function allEntryPoints(): readonly [string, string][] {
  return listFiles()
    .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
    .flatMap(entryPoints);
}

/** The entry points of a package, and their sources. */
function entryPoints(manifest: string): [string, string][] {
  const { name, exports = {} } = JSON.parse(readFileSync(manifest, "utf8")) as {
    name: string;
    exports?: Record<string, { "@capstan/source"?: string } | string>;
  };
  return Object.entries(exports).flatMap(([path, to]) => {
    const source = typeof to === "string" ? undefined : to["@capstan/source"];
    return source === undefined ? [] : [[join(name, path), join(dirname(manifest), source)] as [string, string]];
  });
}
