/** Loads a user's program far enough to see what it declares. */
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Inputs, type Program, readProgram, wordsOf } from "@capstan/scaffold";
import type { TextOption } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { openProject } from "./disk.ts";

/** The option of every command that loads a program. */
export const entryOption = {
  type: "text",
  value: "FILE",
  describe: "the file that exports the operator (src/main.ts, or main.ts)",
} as const satisfies TextOption;

/** A loaded program. */
export interface Loaded {
  readonly entry: string;
  readonly exported: readonly unknown[];
  readonly program: Program;
  /** The inputs of the project, if there is one. */
  readonly inputs: Inputs | undefined;
}

/** Loads the program of the project in a folder. */
export async function loadProgram(cwd: string, entry: string | undefined): Promise<Loaded> {
  const project = await openProject(cwd).catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  const root = project?.root ?? cwd;
  const file = await findEntry({ cwd, root, entry });
  const exported = await load(file);
  const foreign = (project?.inputs.apis ?? [])
    .filter(({ origin }) => origin !== "new")
    .map(({ kind, plural, group }) => `${wordsOf(kind, plural).plural}.${group}`);
  const program = readProgram(exported, { name: project?.inputs.name ?? basename(root), foreign: new Set(foreign) });
  return { entry: file, exported, program, inputs: project?.inputs };
}

/** The file that exports the operator. */
export async function findEntry({
  cwd,
  root,
  entry,
}: {
  cwd: string;
  root: string;
  entry: string | undefined;
}): Promise<string> {
  const candidates =
    entry === undefined
      ? ["src/main.ts", "main.ts", "src/main.js", "main.js"].map((name) => join(root, name))
      : [resolve(cwd, entry)];
  for (const file of candidates) if (await isFile(file)) return file;
  if (entry !== undefined) throw new CliError("BadInput", `there is no file ${entry} to load the operator from`);
  throw new CliError("Project", "there is no src/main.ts here: name the file that exports the operator with --entry");
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The exports of a module, and the operators that it would run: a program that runs on import is only inspected, too. */
async function load(file: string): Promise<readonly unknown[]> {
  const { loadWithoutRunning } = await import("@capstan/runtime");
  try {
    const { loaded, wouldRun } = await loadWithoutRunning(
      (): Promise<{ readonly [name: string]: unknown }> => import(pathToFileURL(file).href),
    );
    return [...Object.values(loaded), ...wouldRun];
  } catch (cause) {
    throw new CliError("BadInput", `cannot load ${file}: ${explain(cause)}`, { cause });
  }
}

/** What to do if Node reports a missing package. */
export function missingPackage(message: string): string | undefined {
  const name = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  return name === undefined ? undefined : `the package ${name} is not installed: run npm install`;
}

/** The error with file and line, if Node knows them; or what to do if only packages are missing. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const missing = missingPackage(error.message);
  if (missing !== undefined) return missing;
  const place = /(?:^|\(|at )file:\/\/(?!.*node_modules)(\S+:\d+)/m.exec(error.stack ?? "")?.[1];
  return `${error.name}: ${error.message}${place === undefined ? "" : ` (${place})`}`;
}
