/** A shell like a reader's: the exports of one line are visible in the next. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export class Shell implements AsyncDisposable {
  readonly #child: ChildProcess;
  #said = "";
  #news = Promise.withResolvers<void>();
  #commands = 0;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk) => this.#hear(String(chunk)));
    this.#child.on("exit", () => this.#hear(""));
  }

  /** Types a line, waits for its end, and returns the output; a line that fails fails the test. */
  async type(line: string): Promise<string> {
    const mark = `end-of-line-${++this.#commands}`;
    this.#said = "";
    this.#child.stdin?.write(`set -o pipefail; { ${line}\n} 2>&1 </dev/null; echo "${mark} $?"\n`);
    const end = new RegExp(`${mark} (?<code>\\d+)\\n`, "u");
    for (;;) {
      const found = end.exec(this.#said);
      const said = this.#said.slice(0, found?.index);
      if (found) {
        assert.equal(found.groups?.["code"], "0", `${line}\n${said}`);
        return said;
      }
      assert.ok(this.#isAlive(), `the shell ended: ${line}\n${said}`);
      await this.#news.promise;
    }
  }

  #hear(chunk: string): void {
    this.#said += chunk;
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  #isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isAlive()) return;
    const gone = once(this.#child, "exit");
    this.#child.kill();
    await gone;
  }
}

/** Whether the output contains a line, regardless of spacing. */
export function says(said: string, line: string): boolean {
  const words = (text: string): string => text.trim().split(/\s+/u).join(" ");
  return said.split("\n").some((one) => words(one).includes(words(line)));
}
