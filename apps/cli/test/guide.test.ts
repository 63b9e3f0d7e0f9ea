import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readGuide } from "./guide.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const kubernetes = join(homedir(), ".cache/capstan-peers/bin");
const skip = existsSync(join(kubernetes, "kubectl")) ? false : "the real kubectl has not been built here";

const guides = readdirSync(join(checkout, "docs/guide"))
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .map((file) => file.slice(0, -".md".length));

/** A folder of commands that stand for what a registry would give: `npx capstan` is this checkout, and its packages are linked. */
async function commands(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const node = `${checkout}/node_modules/.bin/node`;
  const scripts = {
    npx: `shift; exec "${node}" --conditions=@capstan/source "${checkout}/apps/cli/src/main.ts" "$@"`,
    npm: `if [ "$1" = install ]; then exit 0; fi; PATH="$PWD/node_modules/.bin:\${PATH#*:}"; export PATH; exec npm "$@"`,
    kubectl: `exec "${kubernetes}/kubectl" "$@"`,
  };
  for (const [name, line] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

/** A shell that lives as long as the reader's terminal: what one block exports, the next one has. */
class Shell {
  readonly #child: ChildProcess;
  #said = "";
  #serial = 0;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.#said += data.toString()));
  }

  /** Runs commands; the first that fails ends the block. */
  async run(text: string): Promise<{ readonly code: number; readonly output: string; readonly cwd: string }> {
    const mark = `end-of-block-${++this.#serial}`;
    this.#said = "";
    const joined = text.trimEnd().split("\n").join(" &&\n");
    this.#child.stdin?.write(`{ ${joined}\n} 2>&1; echo "${mark} $? $PWD"\n`);
    const end = new RegExp(`${mark} (\\d+) (.*)\\n`);
    for (let tries = 0; tries < 2_400; tries++) {
      const found = end.exec(this.#said);
      if (found !== null)
        return { code: Number(found[1]), cwd: found[2] ?? "", output: this.#said.slice(0, found.index) };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return assert.fail(`nothing came of:\n${text}\n${this.#said}`);
  }

  close(): void {
    this.#child.kill();
  }
}

/** Whether a line stands in the output, however its words are spaced. */
function says(output: string, line: string): boolean {
  const words = line.trim().split(/\s+/);
  return output.split("\n").some((each) => each.split(/\s+/).join(" ").includes(words.join(" ")));
}

for (const guide of guides) {
  test(`every command and every file of the guide ${guide} works as written`, { skip, timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-guide-"));
    const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
    const env = {
      ...rest,
      PATH: `${await commands(folder)}:${process.env["PATH"]}`,
      CAPSTAN_CHECKOUT: checkout,
      NO_COLOR: "1",
    };
    const shell = new Shell(folder, env);
    const beside: ChildProcess[] = [];
    let cwd = folder;
    let output = "";
    try {
      for (const step of readGuide(await readFile(join(checkout, `docs/guide/${guide}.md`), "utf8"))) {
        switch (step.do) {
          case "write":
            await writeFile(join(cwd, step.path), step.text);
            break;
          case "run": {
            const ran = await shell.run(step.commands);
            assert.equal(ran.code, 0, `${step.commands}\n${ran.output}`);
            ({ cwd, output } = ran);
            break;
          }
          case "run-beside":
            beside.push(await startBeside(step.commands, { cwd, env }));
            break;
          case "expect":
            for (const line of step.lines)
              assert.ok(says(output, line), `expected ${JSON.stringify(line)} in:\n${output}`);
        }
      }
    } finally {
      shell.close();
      for (const child of beside) await ended(child);
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Starts a command in a second terminal and waits until it says that it is ready. */
async function startBeside(line: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<ChildProcess> {
  const child = spawn("bash", ["-c", `exec ${line}`], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  for (let tries = 0; !said.includes("ready in"); tries++) {
    if (tries > 1_200 || child.exitCode !== null) assert.fail(`${line} did not start:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
