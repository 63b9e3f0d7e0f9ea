/** One mistake is one compiler error, at the line of the mistake. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { compile } from "./mistakes/compile.ts";
import type { CompilerError } from "./mistakes/compile.ts";
import { mistakes, programs } from "./mistakes/mistakes.ts";
import type { Mistake } from "./mistakes/mistakes.ts";

const page = new URL("../../../docs/reference/compiler-errors.md", import.meta.url);

let errors: ReadonlyMap<string, readonly CompilerError[]>;

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-mistakes-"));
  try {
    errors = await compile(
      folder,
      new Map([...correct, ...mistakes.map((one, at) => [`mistake${at}`, textOf(one)] as const)]),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

const correct = Object.entries(programs).map(([name, text]) => [name.replace(" ", "-"), text] as const);

test("the programs without a mistake compile", () => {
  for (const [name] of correct) assert.deepEqual(errors.get(name), [], name);
});

for (const [at, mistake] of mistakes.entries()) {
  test(`${mistake.title}: reported once, where it is`, () => {
    const found = errors.get(`mistake${at}`) ?? [];
    const lines = found.map(({ line }) => textOf(mistake).split("\n")[line - 1]?.trim() ?? "");
    assert.equal(found.length, mistake.errors ?? 1, JSON.stringify(found, undefined, 2));
    assert.ok(lines[0]?.includes(mistake.at) === true, `reported at: ${lines[0]}`);
  });
}

test("the page of compiler errors has the number and the first line of each", async () => {
  const text = await readFile(page, "utf8");
  const rows = mistakes.map((mistake, at) => {
    const found = errors.get(`mistake${at}`) ?? [];
    return `| ${mistake.title} | ${mistake.before} | ${found.length} | \`${mistake.at}\` | ${shortened(found[0]?.message ?? "")} |`;
  });
  for (const row of rows) assert.ok(text.includes(row), `the page lacks this row:\n${rows.join("\n")}`);
});

/** The program with its mistake. */
function textOf({ program, replace, by }: Mistake): string {
  const parts = programs[program].split(replace);
  assert.equal(parts.length, 2, `"${replace}" occurs once in the program with ${program}`);
  return parts.join(by);
}

/** The message up to the types in it, which are long. */
function shortened(message: string): string {
  const short = message.length > 110 ? `${message.slice(0, 110)}...` : message;
  return `\`${short.replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}
