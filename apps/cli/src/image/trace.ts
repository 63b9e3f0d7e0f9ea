/** Finds the packages that a program needs by loading it in a separate process. */
import { fork } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../errors.ts";
import { ownProgram } from "../place.ts";
import { missingPackage } from "../project/program.ts";

/** A package that goes into the image. */
export interface TracedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  /** Its folder on this machine. */
  readonly folder: string;
  /** Linked packages are outside of node_modules and stay so in the image: Node strips types only there. */
  readonly linked: boolean;
}

interface PackageFile {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly bin?: unknown;
  readonly dependencies?: { readonly [name: string]: string };
}

/** The packages that a program loads, and those that they may load later, without the program's own. */
export async function tracePackages(entry: string, root: string): Promise<TracedPackage[]> {
  const files = await loadedFiles(entry, root);
  const roots = new Set<string>();
  for (const file of files) roots.add(await packageRoot(file));
  roots.delete(await realpath(root));
  const found = new Map<string, TracedPackage>();
  for (const folder of [...roots].sort()) await add(folder, found, "loaded");
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

async function loadedFiles(entry: string, cwd: string): Promise<string[]> {
  const child = fork(ownProgram("image/tracer/main"), [entry], { cwd, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const said = await new Promise<{ readonly files?: readonly string[]; readonly why?: string }>((resolve) => {
    child.once("message", (message) => resolve(message as { files?: string[] }));
    child.once("exit", (code) =>
      resolve({ why: `the program ended with exit code ${code ?? "none"} when it was loaded` }),
    );
    child.once("error", (error) => resolve({ why: error.message }));
  });
  if (said.files === undefined)
    throw new CliError(
      "BadInput",
      `cannot load ${entry}: ${missingPackage(said.why ?? "") ?? said.why ?? "no reason given"}`,
    );
  return said.files.map((url) => fileURLToPath(url));
}

/** The nearest folder with a package.json that has a name. */
async function packageRoot(file: string): Promise<string> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const read = await readPackage(folder);
    if (read?.name !== undefined) return folder;
    if (folder === dirname(folder))
      throw new CliError("BadInput", `${file} belongs to no package; put a package.json beside it`);
  }
}

async function readPackage(folder: string): Promise<PackageFile | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as PackageFile);
}

/**
 * Adds a package and its declared dependencies, because it may load them later. A package with a `bin` declares dependencies of that
 * program; of those, only the loaded ones count.
 */
async function add(folder: string, found: Map<string, TracedPackage>, why: "loaded" | "declared"): Promise<void> {
  if (found.has(folder)) return;
  const read = await readPackage(folder);
  if (read === undefined) return;
  const { name = "", version = "0.0.0", license, bin, dependencies = {} } = read;
  if (why === "declared" && bin !== undefined) return;
  found.set(folder, { name, version, licence: license, folder, linked: !folder.includes(`${sep}node_modules${sep}`) });
  if (bin !== undefined) return;
  for (const dependency of Object.keys(dependencies)) {
    const target = await findDependency(folder, dependency);
    if (target !== undefined) await add(target, found, "declared");
  }
}

async function findDependency(from: string, name: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = await realpath(join(folder, "node_modules", name)).catch(() => undefined);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) return undefined;
  }
}
