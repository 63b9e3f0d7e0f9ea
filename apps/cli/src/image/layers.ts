/** The layers of an operator's image: its dependencies, which change rarely, and the operator itself. */
import { readdir, readFile } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import { folderEntries, type LayerEntry } from "@capstan/oci";
import type { TracedPackage } from "./trace.ts";

/** The operator's folder in the image. */
export const home = "/operator";

const never =
  /(^|\/)(node_modules|\.git|\.github|test|tests|__tests__|coverage|bench|docs)(\/|$)|\.(test|type-test|bench)\.[cm]?[jt]s$|\.(md|map|tsbuildinfo)$|\.d\.[cm]?ts$/;

/** The packages below node_modules; linked packages are beside it, with links to them. */
export async function dependencyEntries(
  packages: readonly TracedPackage[],
  conditions: readonly string[],
): Promise<LayerEntry[]> {
  const isSource = conditions.length > 0;
  const entries = await Promise.all(packages.map((one) => packageEntries(one, isSource)));
  return entries.flat();
}

async function packageEntries({ name, folder, linked }: TracedPackage, isSource: boolean): Promise<LayerEntry[]> {
  const at = linked ? `${home}/packages/${name}` : posix.join(home, placeOf(folder));
  // From a checkout, the image takes either the sources or the build output, not both.
  const left = isSource ? /^(dist|bin|generate|conformance|launchers)(\/|$)/ : /^src(\/|$)/;
  // Our published packages contain their sources for debuggers.
  const isOurs = linked || (!isSource && /^(capstan$|@capstan\/)/.test(name));
  // Node does not run TypeScript below node_modules, so sources that a package ships there stay out.
  const isUnused = (path: string): boolean => !linked && /\.[cm]?tsx?$/.test(path);
  const include = (path: string): boolean => !never.test(path) && !(isOurs && left.test(path)) && !isUnused(path);
  const files = await folderEntries(folder, { at, include });
  if (!linked) return files;
  const up = "../".repeat(name.split("/").length);
  return [
    ...files,
    { path: `${home}/node_modules/${name}`, type: "symlink", target: `${up}packages/${name}`, mode: 0o777 },
  ];
}

/** A package keeps its path in the tree, so that it resolves the same dependencies. */
function placeOf(folder: string): string {
  const parts = folder.split("/node_modules/");
  return `node_modules/${parts.slice(1).join("/node_modules/")}`;
}

/** Folders at the root of a project that do not belong in the image. */
const others = new Set([
  "node_modules",
  "dist",
  ".git",
  ".capstan",
  "bundle",
  "config",
  "chart",
  "deploy",
  "test-output",
]);

/** The operator's own files: sources and the files that they read, without tests and manifests. */
export async function operatorEntries(root: string): Promise<LayerEntry[]> {
  const entries: LayerEntry[] = [];
  for (const entry of (await readdir(root, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (others.has(entry.name) || never.test(entry.name)) continue;
    const at = `${home}/${entry.name}`;
    if (entry.isDirectory() && !entry.name.startsWith("."))
      entries.push(...(await folderEntries(join(root, entry.name), { at, include: (path) => !never.test(path) })));
    else if (
      entry.isFile() &&
      /\.(ts|js|mjs|cjs|json)$/.test(entry.name) &&
      !/^(tsconfig|package-lock)/.test(entry.name)
    )
      entries.push({ path: at, type: "file", mode: 0o644, body: await readFile(join(root, entry.name)) });
  }
  return entries;
}

/** The path of the entry file in the image. */
export function entryPath(root: string, entry: string): string {
  return posix.join(home, relative(root, entry).split("\\").join("/"));
}
