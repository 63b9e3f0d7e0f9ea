/** Reads a project from disk. */
import { lstat, mkdir, readFile, readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type Files, type Inputs, inputsFile, parseInputs } from "@capstan/scaffold";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";

/** A project on disk. */
export interface Project {
  readonly root: string;
  readonly inputs: Inputs;
}

/** Finds the project of a folder. */
export async function openProject(cwd: string): Promise<Project> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const text = await readIfThere(join(folder, inputsFile));
    if (text !== undefined) return { root: folder, inputs: parseInputs(text) };
    if (folder === dirname(folder)) break;
  }
  throw new CliError(
    "Project",
    `there is no project here: run this in a folder with ${inputsFile}, or make one with capstan init`,
  );
}

/** The texts of the existing ones of these files. */
export async function readFiles(root: string, paths: Iterable<string>): Promise<Files> {
  const read = await Promise.all([...paths].map(async (path) => [path, await readIfThere(join(root, path))] as const));
  return new Map(read.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const])));
}

/** Folders without files of the user. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", ".capstan"]);
const readable = /\.(ts|js|mjs|json|ya?ml|md)$/;

/** Every text of a project that the user may have written. */
export async function readSources(root: string): Promise<Files> {
  const paths: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) await visit(path);
      if (!readable.test(entry.name) || entry.name === "package-lock.json") continue;
      if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(path)))) paths.push(relative(root, path));
    }
  };
  await visit(root);
  return readFiles(root, paths.sort());
}

async function leadsToFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

/** Creates a folder and its parents one by one: Node's recursive mkdir never ends where no folder can be created, as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  if (path !== dirname(path)) await makeFolder(dirname(path));
  await atPath(path, mkdir(path));
}

/** The text of a file; disk errors contain the path. Bytes that are not UTF-8 are rejected, because they could not be written back. */
export async function readText(path: string): Promise<string> {
  const bytes = await atPath(path, readFile(path));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("BadInput", `cannot read ${path}: it is not UTF-8; save it as UTF-8 first`, { cause });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
