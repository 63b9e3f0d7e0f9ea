/** Reads the files of a bundle into memory, with limits, because bundles are untrusted input. */
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { BundleError } from "../errors.ts";

/** Contents by path, with slashes and relative to the bundle's root. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** No bundle that a cluster could take comes near these. */
const maxFile = 16 * 2 ** 20;
const maxTotal = 64 * 2 ** 20;
const maxFiles = 4_000;
const maxDepth = 16;

/** Reads every file below a folder, in the order of their names. */
export async function readFolder(folder: string): Promise<BundleFiles> {
  const found = await lstat(folder).catch((cause: unknown) => {
    throw new BundleError("NotFound", `there is no bundle at ${folder}; name its folder or its image`, { cause });
  });
  if (!found.isDirectory() && !found.isSymbolicLink())
    throw new BundleError("NotFound", `${folder} is no folder; a bundle is a folder with manifests/ and metadata/`);
  const files = new Map<string, Uint8Array>();
  await visit(await realpath(folder), "", files);
  return files;
}

async function visit(root: string, below: string, files: Map<string, Uint8Array>): Promise<void> {
  if (below.split("/").length > maxDepth)
    throw new BundleError("TooLarge", `${below} lies deeper than ${maxDepth} folders; a bundle is flat`);
  for (const entry of (await readdir(join(root, below), { withFileTypes: true })).sort(byName)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const found = entry.isSymbolicLink() ? await stat(await insideOf(root, path)) : entry;
    if (found.isDirectory()) await visit(root, path, files);
    else if (found.isFile()) addFile(files, path, await readLimited(join(root, path), path));
  }
}

/** Where a path leads: links within the bundle are followed; others could lead anywhere, and would not be in its image. */
async function insideOf(root: string, path: string): Promise<string> {
  const real = await realpath(join(root, path)).catch((cause: unknown) => {
    throw new BundleError("BadBundle", `${path} is a link that leads nowhere; put the file itself there`, { cause });
  });
  if (real.startsWith(`${root}${sep}`)) return real;
  throw new BundleError("BadBundle", `${path} is a link that leads out of the bundle; put the file itself there`);
}

async function readLimited(file: string, path: string): Promise<Uint8Array> {
  const { size } = await stat(file);
  if (size > maxFile) throw tooLarge(path, size);
  return readFile(file);
}

/** Adds a file and keeps the whole within its limits. */
export function addFile(files: Map<string, Uint8Array>, path: string, bytes: Uint8Array): void {
  files.set(path, bytes);
  if (bytes.length > maxFile) throw tooLarge(path, bytes.length);
  let total = 0;
  for (const one of files.values()) total += one.length;
  if (total > maxTotal || files.size > maxFiles)
    throw new BundleError(
      "TooLarge",
      `the bundle has more than ${maxFiles} files or ${maxTotal / 2 ** 20} MiB; no cluster would take it`,
    );
}

function tooLarge(path: string, size: number): BundleError {
  return new BundleError("TooLarge", `${path} has ${size} bytes; a bundle's file may have ${maxFile}`);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** The files directly in a folder, by name. */
export function filesIn(files: BundleFiles, folder: string): [name: string, bytes: Uint8Array][] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return [...files]
    .filter(([path]) => path.startsWith(prefix) && !path.slice(prefix.length).includes("/"))
    .map(([path, bytes]) => [path.slice(prefix.length), bytes] as [string, Uint8Array])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The folders directly in a folder. */
export function foldersIn(files: BundleFiles, folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const names = [...files.keys()]
    .filter((path) => path.startsWith(prefix) && path.slice(prefix.length).includes("/"))
    .map((path) => path.slice(prefix.length).split("/", 1)[0] ?? "");
  return [...new Set(names)].sort();
}

/** Bytes as text; invalid UTF-8 becomes a replacement character, as in other tools. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
