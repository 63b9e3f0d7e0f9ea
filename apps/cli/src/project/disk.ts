/** Reads a project from disk and writes changes to it: all of them, or none. */
import { lstat, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type FileChange, type Files, type Inputs, inputsFile, parseInputs } from "@capstan/scaffold";
import { CliError } from "../errors.ts";

/** A project on disk. */
export interface Project {
  readonly root: string;
  readonly inputs: Inputs;
}

/** The project that a folder is in. */
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

/** The texts of these files, as far as they are there. */
export async function readFiles(root: string, paths: Iterable<string>): Promise<Files> {
  const read = await Promise.all([...paths].map(async (path) => [path, await readIfThere(join(root, path))] as const));
  return new Map(read.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const])));
}

/** Folders that hold nothing of the user's. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", "dist", ".capstan"]);
const readable = /\.(ts|js|mjs|json|ya?ml|md)$/;

/** Every text of a project that a person may have written. */
export async function readSources(root: string): Promise<Files> {
  const paths: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) await visit(path);
      if (entry.isFile() && readable.test(entry.name) && entry.name !== "package-lock.json")
        paths.push(relative(root, path));
    }
  };
  await visit(root);
  return readFiles(root, paths.sort());
}

/** Makes changes to a folder. What cannot be written leaves everything as it was. */
export async function writeChanges(root: string, changes: readonly FileChange[]): Promise<void> {
  const texts = changes.flatMap((change) =>
    "text" in change ? [{ path: join(root, change.path), text: change.text }] : [],
  );
  const made: string[] = [];
  try {
    for (const { path, text } of texts) {
      const first = await mkdir(dirname(path), { recursive: true });
      if (first !== undefined) made.push(first);
      made.push(staged(path));
      await writeFile(staged(path), text);
    }
  } catch (error) {
    await Promise.all(made.map((path) => rm(path, { recursive: true, force: true })));
    throw error;
  }
  for (const { path } of texts) await rename(staged(path), path);
  for (const { path, action } of changes) if (action === "delete") await rm(join(root, path));
}

function staged(path: string): string {
  return `${path}.capstan-new`;
}

/** Whether something is at a path. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
