/** Which files a test file depends on: by imports, by the paths that it names, and by the folder of its fixtures. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { importsOf } from "../check/layers.ts";
import { listFiles } from "../check/sources.ts";

/** What every test depends on: the versions of all dependencies, Node and the compiler among them. */
const everywhere = "package-lock.json";

export interface Graph {
  readonly files: readonly string[];
  /** All files that a file depends on, itself included. */
  dependenciesOf(file: string): ReadonlySet<string>;
}

export function readGraph(files: readonly string[] = listFiles()): Graph {
  const known = new Set(files);
  const entries = packageEntries(files);
  const data = Map.groupBy(
    files.filter((file) => !/\.(?:ts|md)$/.test(file)),
    (file) => dirname(file),
  );
  const direct = new Map<string, readonly string[]>();
  const dependenciesOf = (file: string): readonly string[] => {
    const found = direct.get(file) ?? directDependencies(file, { known, entries, data });
    direct.set(file, found);
    return found;
  };
  return {
    files,
    dependenciesOf: (file) => reach([file, everywhere], dependenciesOf),
  };
}

/** The test files that depend on one of the changed files. */
export function affectedBy(tests: readonly string[], changed: readonly string[], graph: Graph): string[] {
  return tests.filter((test) => {
    const depends = graph.dependenciesOf(test);
    return changed.some((file) => depends.has(file));
  });
}

/** A fingerprint of everything that a test file depends on. */
export function inputsHash(test: string, graph: Graph): string {
  const hash = createHash("sha256").update(process.version);
  for (const file of [...graph.dependenciesOf(test)].toSorted()) {
    const content = createHash("sha256").update(readFileSync(file)).digest("hex");
    hash.update(`${file} ${content}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

interface Known {
  readonly known: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, string>;
  readonly data: ReadonlyMap<string, readonly string[]>;
}

/**
 * Files that a file imports or names. A path in a string counts if a file of that name exists; a program that is started by its package,
 * and fixtures, are found by that, and by the data files in the folder of each source.
 */
function directDependencies(file: string, { known, entries, data }: Known): readonly string[] {
  if (!/\.[cm]?[jt]s$/.test(file)) return [];
  const text = readFileSync(file, "utf8");
  const imported = importsOf({ path: file, text }).map(({ specifier }) =>
    specifier.startsWith(".") ? join(dirname(file), specifier) : (entries.get(specifier) ?? ""),
  );
  const named = [...text.matchAll(/["'`]([\w@.-]+(?:\/[\w@.-]+)*)["'`]/g)].flatMap(([, path = ""]) => [
    entries.get(path) ?? "",
    normalize(join(dirname(file), path)),
    path,
  ]);
  const folders = named.flatMap((path) => filesUnder(path, data));
  const beside = data.get(dirname(file)) ?? [];
  return [...new Set([...imported, ...named, ...folders, ...beside])].filter((path) => known.has(path));
}

function filesUnder(folder: string, data: Known["data"]): readonly string[] {
  if (folder === "" || folder === "." || !folder.includes("/")) return [];
  return [...data].flatMap(([name, files]) => (name === folder || name.startsWith(`${folder}/`) ? files : []));
}

/** The source behind each name that a package of this repository exports. */
function packageEntries(files: readonly string[]): ReadonlyMap<string, string> {
  const manifests = files.filter((file) => /(?:^|\/)package\.json$/.test(file) && file !== "package.json");
  return new Map(manifests.flatMap(entriesOf));
}

function entriesOf(manifest: string): [string, string][] {
  const {
    name,
    exports = {},
    bin = {},
  } = JSON.parse(readFileSync(manifest, "utf8")) as {
    name?: string;
    exports?: { [path: string]: { "@capstan/source"?: string } | string };
    bin?: { [name: string]: string };
  };
  if (name === undefined) return [];
  const room = dirname(manifest);
  const source = (target: { "@capstan/source"?: string } | string): string =>
    normalize(join(room, typeof target === "string" ? target : (target["@capstan/source"] ?? "")));
  return [
    ...Object.entries(exports).map(([path, target]): [string, string] => [normalize(join(name, path)), source(target)]),
    ...Object.values(bin).map((path): [string, string] => [path, source(path)]),
  ].filter(([, path]) => existsSync(path));
}

function reach(from: readonly string[], next: (file: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(from);
  for (const file of seen) for (const further of next(file)) seen.add(further);
  return seen;
}
