/** Builds programs from Go modules, once each: cached by version, one builder at a time, never half a file. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { run } from "./command.ts";
import { KubernetesToolError } from "./errors.ts";
import { formatGoMod } from "./go-module.ts";
import type { GoModule, Program } from "./go-module.ts";
import { takeLock } from "./lock.ts";
import { cacheFolder } from "./paths.ts";
import type { Progress } from "./progress.ts";

/** Where a program is, or will be once it is built. */
export function programPath(program: Program): string {
  return join(cacheFolder(), program.module.folder, program.name);
}

/** Whether all programs are in the cache already. */
export function areBuilt(programs: readonly Program[]): boolean {
  return programs.every((program) => existsSync(programPath(program)));
}

/** Builds the programs that are not in the cache yet. A killed build leaves nothing that a later one would trust. */
export async function buildPrograms(
  programs: readonly Program[],
  progress: Progress,
  signal?: AbortSignal,
): Promise<void> {
  for (const program of programs) {
    if (areBuilt([program])) continue;
    const folder = join(cacheFolder(), program.module.folder);
    const whenWaiting = (): void => progress.note(`waiting for another build of ${program.name}`);
    await using _lock = await takeLock(folder, { signal, whenWaiting });
    if (!areBuilt([program])) await buildProgram(program, { folder, progress, signal });
  }
}

interface BuildOptions {
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

async function buildProgram(program: Program, { folder, progress, signal }: BuildOptions): Promise<void> {
  const step = progress.step(`building ${program.name} ${program.module.version.slice(1)}`);
  const workshop = join(folder, "build");
  const unfinished = join(workshop, `${program.name}-${process.pid}`);
  try {
    await prepareModule(program.module, workshop);
    await removeUnfinished(workshop, program.name);
    const flags = ["-mod=mod", "-trimpath", "-buildvcs=false", `-ldflags=${program.module.linkFlags}`];
    if (program.module.tags !== undefined) flags.push(`-tags=${program.module.tags}`);
    await go(
      workshop,
      [...(program.test ? ["test", "-c"] : ["build"]), ...flags, `-o=${unfinished}`, program.package],
      signal,
    );
    await rename(unfinished, programPath(program));
    step.done();
  } catch (error) {
    step.done("failed");
    throw error;
  }
}

/** A killed build leaves its output half written; the name has a pid, as its compiler may still be at work. */
async function removeUnfinished(workshop: string, name: string): Promise<void> {
  const left = (await readdir(workshop)).filter((file) => file.startsWith(`${name}-`) && /-\d+$/.test(file));
  await Promise.all(left.map(async (file) => rm(join(workshop, file), { force: true })));
}

async function prepareModule(module: GoModule, workshop: string): Promise<void> {
  await mkdir(workshop, { recursive: true });
  if (module.main !== undefined) await copyFile(goSource(module.main), join(workshop, "main.go"));
  if (await exists(join(workshop, "go.mod"))) return;
  const { GoMod: goMod } = await download(module, workshop);
  await writeWhole(join(workshop, "go.mod"), formatGoMod(module, await readFile(goMod, "utf8")));
}

/** A file that a module brings along beside its sources, such as the manifests of a release. */
export async function readModuleFile(module: GoModule, path: string): Promise<string> {
  return readFile(join(await moduleFolder(module), path), "utf8");
}

/** The folder with all that a module brings along. */
export async function moduleFolder(module: GoModule): Promise<string> {
  return (await download(module, cacheFolder())).Dir;
}

async function download({ path, version }: GoModule, cwd: string): Promise<{ GoMod: string; Dir: string }> {
  await mkdir(cwd, { recursive: true });
  return JSON.parse(await go(cwd, ["mod", "download", "-json", `${path}@${version}`])) as {
    GoMod: string;
    Dir: string;
  };
}

/** The first process of a cluster's namespaces; the same program pauses pods. */
export async function buildInit(progress: Progress): Promise<string> {
  return buildOwn("init", progress);
}

/** A program of ours, built from its source beside this package; needs no module but Go's own. */
export async function buildOwn(name: "init" | "shell", progress: Progress): Promise<string> {
  const source = goSource(name);
  const version = createHash("sha256")
    .update(await readFile(source))
    .digest("hex")
    .slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${version}`);
  const finished = join(folder, `capstan-${name}`);
  if (existsSync(finished)) return finished;
  await using _lock = await takeLock(folder);
  if (existsSync(finished)) return finished;
  const step = progress.step(`building ${name === "init" ? "the first process" : "the shell of the test images"}`);
  await mkdir(folder, { recursive: true });
  await go(folder, ["build", "-trimpath", "-buildvcs=false", `-ldflags=-s -w`, `-o=${finished}.new`, source]);
  await rename(`${finished}.new`, finished);
  step.done();
  return finished;
}

function goSource(name: string): string {
  return fileURLToPath(new URL(`../go/${name}/main.go`, import.meta.url));
}

/** Runs the go command without C, the same everywhere. */
async function go(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
  try {
    return await run("go", args, { cwd, env, code: "build-failed", signal });
  } catch (error) {
    if (!(error instanceof KubernetesToolError) || error.code !== "missing-program") throw error;
    throw new KubernetesToolError(
      "no-go",
      "Go is needed to build Kubernetes and is not on the PATH: install Go 1.26 or newer (https://go.dev/doc/install) and try again",
      { cause: error },
    );
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
