/** `npm run check` finds each of these mistakes, and its message names the fix. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, describe, test } from "node:test";

interface Mistake {
  readonly name: string;
  readonly step: string;
  readonly file: string;
  readonly text: string;
  readonly sentence: RegExp;
}

// Spelled in two halves, so that this file does not violate the rule that it tests.
const note = ["TO", "DO"].join("");

const mistakes: readonly Mistake[] = [
  {
    name: "a forbidden import",
    step: "house",
    file: "packages/model/src/mistake.ts",
    text: 'import { s } from "@capstan/schema";\nexport const mistake: unknown = s;\n',
    sentence:
      /mistake\.ts:1: packages\/model imports packages\/schema, but model says .*; move the code to a room that may see both/,
  },
  {
    name: "a floating promise",
    step: "lint",
    file: "packages/model/src/mistake.ts",
    text: "async function later(): Promise<void> {}\nexport function mistake(): void {\n  later();\n}\n",
    sentence: /no-floating-promises\): Promises must be awaited/,
  },
  {
    name: "a stray console call",
    step: "house",
    file: "packages/model/src/mistake.ts",
    text: 'export function mistake(): void {\n  console.log("x");\n}\n',
    sentence: /mistake\.ts:2: reaches for the console \(console\.\); take a logger as a parameter, or return the text/,
  },
  {
    name: "a note to self without an issue",
    step: "house",
    file: "packages/model/src/mistake.ts",
    text: `// ${note} mend this\nexport const mistake = 1;\n`,
    sentence: /mistake\.ts:1: a note to self without an issue; do it now, or name the issue as in \(#12\)/,
  },
  {
    name: "an unused export",
    step: "dead code",
    // A file that is in use, so that only the export is unused.
    file: "packages/model/src/key.ts",
    text: `${readFileSync("packages/model/src/key.ts", "utf8")}\nexport function nobodyNeedsThis(): void {}\n`,
    sentence:
      /Unused exports \(1\)\s+nobodyNeedsThis[\s\S]*cure: delete what nobody uses, or export it from src\/index\.ts if users need it/,
  },
];

describe("the check", () => {
  let copy = "";

  before(() => {
    copy = mkdtempSync(join(tmpdir(), "capstan-check-"));
    const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
      encoding: "utf8",
    });
    for (const file of tracked.split("\n").filter((path) => path !== "")) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(file, join(copy, file), { force: true });
    }
    linkModules(copy);
    execFileSync("git", ["init", "-q"], { cwd: copy });
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  for (const { name, step, file, text, sentence } of mistakes) {
    test(`${name} fails with a message that names the fix`, () => {
      writeFileSync(join(copy, file), text);
      const { status, stdout } = spawnSync(
        process.execPath,
        ["--conditions=@capstan/source", "scripts/check.ts", step],
        { cwd: copy, encoding: "utf8" },
      );
      if (existsSync(file)) cpSync(file, join(copy, file));
      else rmSync(join(copy, file));
      assert.match(stdout, sentence);
      assert.equal(status, 1);
    });
  }
});

/** Installed dependencies are shared; our own packages are those of the copy. */
function linkModules(copy: string): void {
  mkdirSync(join(copy, "node_modules", "@capstan"), { recursive: true });
  for (const name of readdirSync("node_modules").filter((entry) => entry !== "@capstan" && entry !== "capstan")) {
    symlinkSync(resolve("node_modules", name), join(copy, "node_modules", name));
  }
  for (const name of readdirSync("node_modules/@capstan")) {
    const place = relative(process.cwd(), realpathSync(join("node_modules/@capstan", name)));
    symlinkSync(join(copy, place), join(copy, "node_modules", "@capstan", name));
  }
}
