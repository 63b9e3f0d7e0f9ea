/** Executes a guide like a reader: writes its files, runs its commands, checks its output, and records the session. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GuideStep } from "./guide.ts";
import { escaped } from "./pattern.ts";

/** The checkout that replaces the registry. */
export const checkout: string = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** The options of a walk. */
export interface WalkOptions {
  readonly kubectl: string;
  readonly env?: { readonly [name: string]: string };
  /** A registry with the packages: the reader has `npm` and this registry instead of a checkout. */
  readonly registry?: string;
}

/** Executes steps in an empty folder; returns the session as a terminal shows it. */
export async function walk(
  steps: readonly GuideStep[],
  { kubectl, env: more = {}, registry }: WalkOptions,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-guide-"));
  // State in the home folder of a reader, such as images, belongs to the walk.
  const home = { XDG_DATA_HOME: join(folder, "data"), XDG_STATE_HOME: join(folder, "state"), NO_COLOR: "1" };
  const reader =
    registry === undefined
      ? await readerOfCheckout(folder, kubectl)
      : await readerOfRegistry(folder, { kubectl, registry });
  const env = { ...reader, ...home, ...more };
  const shell = new Shell(folder, env);
  const session = new Session(folder);
  const beside: Beside[] = [];
  let seen = { cwd: folder, output: "" };
  try {
    for (const step of steps) {
      switch (step.do) {
        case "write":
          await writeFile(join(seen.cwd, step.path), step.text);
          session.wrote(step.path);
          break;
        case "run":
          seen = await runBlock(step.commands, { shell, session });
          break;
        case "run-beside":
          beside.push(await startBeside(step.commands, { cwd: seen.cwd, env }));
          session.started(step.commands, beside.at(-1)?.said() ?? "");
          break;
        case "expect":
          for (const line of step.lines)
            assert.ok(says(seen.output, line), `expected ${JSON.stringify(line)} in:\n${seen.output}`);
      }
    }
    return session.text();
  } finally {
    shell.close();
    for (const { child } of beside) await ended(child);
    await rm(folder, { recursive: true, force: true });
  }
}

async function runBlock(text: string, { shell, session }: { shell: Shell; session: Session }) {
  let seen = { code: 0, output: "", cwd: "" };
  const output: string[] = [];
  // A command continues if its line ends with a backslash.
  for (const command of text.trimEnd().split(/(?<!\\)\n/)) {
    const began = performance.now();
    seen = await shell.run(command);
    assert.equal(seen.code, 0, `${command}\n${seen.output}`);
    session.ran(command, seen.output, performance.now() - began);
    output.push(seen.output);
  }
  return { cwd: seen.cwd, output: output.join("") };
}

/** The terminal output, without irrelevant differences between runs. */
class Session {
  readonly #folder: string;
  readonly #lines: string[] = [];
  readonly #began = performance.now();

  constructor(folder: string) {
    this.#folder = folder;
  }

  wrote(path: string): void {
    this.#lines.push(`# (an editor: ${path})`, "");
  }

  started(command: string, said: string): void {
    this.#lines.push(`$ ${command.trimEnd()}   # in a second terminal; ${this.#soFar()}`, this.#tidy(said), "");
  }

  ran(command: string, said: string, milliseconds: number): void {
    this.#lines.push(`$ ${command}   # ${(milliseconds / 1000).toFixed(1)} s; ${this.#soFar()}`, this.#tidy(said), "");
  }

  text(): string {
    return `${this.#lines.join("\n").replaceAll(/\n{3,}/g, "\n\n")}\n`;
  }

  /** The time since the start. */
  #soFar(): string {
    return `${((performance.now() - this.#began) / 1000).toFixed(1)} s so far`;
  }

  #tidy(said: string): string {
    const lines = said.replaceAll(this.#folder, "~").replaceAll(checkout, "<checkout>").trimEnd().split("\n");
    return lines.filter((line) => !line.startsWith("npm warn ")).join("\n");
  }
}

async function readerOfCheckout(folder: string, kubectl: string): Promise<NodeJS.ProcessEnv> {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const PATH = `${await commands(folder, kubectl)}:${process.env["PATH"]}`;
  return { ...rest, PATH, CAPSTAN_CHECKOUT: checkout };
}

/** Nothing of this process but its Node: a reader has `npm`, with an empty cache. */
async function readerOfRegistry(
  folder: string,
  { kubectl, registry }: { readonly kubectl: string; readonly registry: string },
): Promise<NodeJS.ProcessEnv> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeScripts(bin, { kubectl: `exec "${kubectl}" "$@"` });
  return {
    PATH: [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].join(":"),
    HOME: folder,
    npm_config_registry: registry,
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_yes: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}

async function writeScripts(folder: string, scripts: { readonly [name: string]: string }): Promise<void> {
  for (const [name, line] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

/**
 * A folder with replacements for registry commands. Packages are linked already, so `npm install` only links their commands. `npx
 * capstan` runs the project's command or, before there is a project, that of this checkout.
 */
async function commands(folder: string, kubectl: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const node = `${checkout}/node_modules/.bin/node`;
  const scripts = {
    npx: `shift
if [ -e node_modules/.bin/capstan ]; then exec node_modules/.bin/capstan "$@"; fi
exec "${node}" --conditions=@capstan/source "${checkout}/apps/cli/src/main.ts" "$@"`,
    npm: `if [ "$1" = install ]; then exec ln -sf ../capstan/bin/capstan.js node_modules/.bin/capstan; fi
PATH="$PWD/node_modules/.bin:\${PATH#*:}"; export PATH; exec npm "$@"`,
    kubectl: `exec "${kubectl}" "$@"`,
  };
  await writeScripts(bin, scripts);
  return bin;
}

/** One shell for all blocks: variables that one block exports are set in the next. */
class Shell {
  readonly #child: ChildProcess;
  #said = "";
  #serial = 0;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.#said += data.toString()));
  }

  async run(command: string): Promise<{ readonly code: number; readonly output: string; readonly cwd: string }> {
    const mark = `end-of-command-${++this.#serial}`;
    this.#said = "";
    this.#child.stdin?.write(`{ ${command}\n} 2>&1; echo "${mark} $? $PWD"\n`);
    const end = new RegExp(`${mark} (\\d+) (.*)\\n`);
    for (let tries = 0; tries < 12_000; tries++) {
      const found = end.exec(this.#said);
      if (found !== null)
        return { code: Number(found[1]), cwd: found[2] ?? "", output: this.#said.slice(0, found.index) };
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return assert.fail(`nothing came of:\n${command}\n${this.#said}`);
  }

  close(): void {
    this.#child.kill();
  }
}

/** Whether a line is in the output, with any spacing; `…` matches any text. */
function says(output: string, line: string): boolean {
  const words = line.trim().split(/\s+/).join(" ");
  const pattern = new RegExp(words.split("…").map(escaped).join(".+"));
  return output.split("\n").some((each) => pattern.test(each.split(/\s+/).join(" ")));
}

interface Beside {
  readonly child: ChildProcess;
  readonly said: () => string;
}

/** Starts a command in a second terminal and waits until it reports that it is ready. */
async function startBeside(line: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Beside> {
  const child = spawn("bash", ["-c", `exec ${line}`], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  for (let tries = 0; !said.includes("ready in"); tries++) {
    if (tries > 6_000 || child.exitCode !== null) assert.fail(`${line} did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, said: () => said };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
