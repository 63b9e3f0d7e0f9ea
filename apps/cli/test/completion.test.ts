/** Runs the completion scripts in bash, zsh and fish. PowerShell is not in Debian, so its script is only read. */
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { escaped } from "./pattern.ts";
import { capstan } from "./terminal.ts";
import { checkout } from "./walk.ts";
import { Window } from "./window.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-completion-"));
  const command = `exec "${process.execPath}" --conditions=@capstan/source "${checkout}/apps/cli/src/main.ts" "$@"`;
  await writeFile(join(folder, "capstan"), `#!/bin/sh\n${command}\n`);
  await chmod(join(folder, "capstan"), 0o755);
  await writeFile(join(folder, "operators.yaml"), "");
});
after(() => rm(folder, { recursive: true, force: true }));

const env = (): NodeJS.ProcessEnv => ({
  PATH: `${folder}:${process.env["PATH"]}`,
  HOME: folder,
  TERM: "xterm",
  LANG: "C.UTF-8",
});

/** Why a shell cannot be tested here, or false; CI has all of them. */
function missing(shell: string): string | false {
  const isThere = spawnSync("which", [shell]).status === 0;
  return isThere || process.env["CI"] === "true" ? false : `install ${shell}`;
}

/** Typed text and its completion: a command, the choices of an option, several commands, a file. */
const cases = [
  { typed: "capstan generate k", words: ["kustomize"] },
  { typed: "capstan init --license ", words: ["apache2", "mit", "none"] },
  { typed: "capstan create ", words: ["api", "dev-container", "e2e-test", "linter", "upgrade-workflow", "webhook"] },
  { typed: "capstan import crd oper", words: ["operators.yaml"] },
] as const;

test("bash completes with its printed script", async () => {
  for (const { typed, words } of cases) {
    const [, ...parts] = typed.split(" ");
    const script = `source <(capstan completion bash)
COMP_WORDS=(capstan ${parts.map((part) => `'${part}'`).join(" ")}); COMP_CWORD=${parts.length}; _capstan
[ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -o default '${parts.at(-1)}'))
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const asked = promisify(execFile)("bash", ["--noprofile", "--norc", "-c", script], { env: env(), cwd: folder });
    assert.deepEqual((await asked).stdout.trimEnd().split("\n"), words, typed);
  }
});

test("fish completes with its printed script", { skip: missing("fish") }, async () => {
  for (const { typed, words } of cases) {
    const script = `capstan completion fish | source; complete --do-complete '${typed}'`;
    const { stdout } = await promisify(execFile)("fish", ["--no-config", "-c", script], { env: env(), cwd: folder });
    const found = stdout.trimEnd().split("\n");
    assert.deepEqual(found.map((line) => line.replace(/\t.*/, "")).toSorted(), words, typed);
  }
});

/** An interactive zsh: types into it and reads its window. */
async function sitAtZsh(
  look: (type: (text: string) => void, shows: (pattern: RegExp) => Promise<void>) => Promise<void>,
) {
  const window = new Window(200);
  const inside = "stty cols 200 rows 40; exec zsh --no-rcs --no-globalrcs --interactive";
  const child = spawn("script", ["--quiet", "--flush", "--command", inside, "/dev/null"], { cwd: folder, env: env() });
  child.stdout.setEncoding("utf8").on("data", (text: string) => window.write(text));
  const shows = async (pattern: RegExp): Promise<void> => {
    for (const end = performance.now() + 120_000; !pattern.test(window.text); await wait(20))
      assert.ok(performance.now() < end && child.exitCode === null, `${pattern} was not seen in:\n${window.text}`);
  };
  try {
    await look((text) => child.stdin.write(text), shows);
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // Without its terminal the shell ends, too; it ignores weaker signals.
    child.kill("SIGKILL");
    await ended;
  }
}

test("zsh completes with its printed script", { skip: missing("zsh") }, async () => {
  await sitAtZsh(async (type, shows) => {
    type(
      "PS1='ready> '; autoload -U compinit && compinit -u -D; source <(capstan completion zsh); echo set-$((40+2))\n",
    );
    await shows(/set-42/);
    for (const { typed, words } of cases) {
      // A single match is inserted; several are listed below the line.
      type(`${typed}\t`);
      const isOne = words.length === 1;
      const whole = `${typed.slice(0, typed.lastIndexOf(" ") + 1)}${words[0]}`;
      const listed = words.map(escaped).join(String.raw`\s+`);
      await shows(new RegExp(isOne ? escaped(whole) : listed));
      // Ctrl-U clears the line.
      type("\u0015");
    }
  });
});

test("the script for PowerShell is complete and passes an empty word on", async () => {
  const { out } = await capstan(["completion", "powershell"]);
  const bare = out.replaceAll(/'[^']*'/g, "''").replaceAll(/#.*$/gm, "");
  for (const [open, close] of ["()", "{}", "[]"].map((pair) => pair.split("")))
    assert.equal(bare.split(open ?? "").length, bare.split(close ?? "").length, `${open} and ${close} are pairs`);
  assert.match(out, /^Register-ArgumentCompleter -Native -CommandName capstan -ScriptBlock \{\n {2}param\(/);
  assert.match(out, /if \(\$wordToComplete -eq ''\) \{[^]*\$words \+= '""'[^]*\$words \+= ''/);
  assert.match(out, /capstan __complete @words/);
});
