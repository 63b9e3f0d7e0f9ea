/** Records what the oracle says: `node record.ts <oracle>`. Real bundles are asked about where they are; nothing of them is kept but the answers. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answer, toLines } from "./judge.ts";
import { mutant } from "./mutate.ts";
import { hubBundles, mutantSeeds, type Recording, type Recorded, values, writeFiles } from "./questions.ts";

const [program = ""] = process.argv.slice(2);

function ask(questions: readonly { readonly dir: string; readonly values: object }[]): Answer[] {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const output = execFileSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Answer);
}

/** Sentences are many times the same: each is kept once. */
function pack(answers: readonly (readonly [string, readonly string[]])[]): Recorded {
  const lines = [...new Set(answers.flatMap(([, said]) => said))].sort();
  const index = new Map(lines.map((line, at) => [line, at]));
  return { lines, answers: answers.map(([name, said]) => [name, said.map((line) => index.get(line) ?? -1)]) };
}

function record(name: Recording, recorded: Recorded): void {
  const file = new URL(`../fixtures/generated/${name}.json`, import.meta.url);
  const lines = recorded.lines.map((line) => JSON.stringify(line)).join(",\n");
  const answers = recorded.answers.map((answer) => JSON.stringify(answer)).join(",\n");
  writeFileSync(file, `{"lines":[\n${lines}\n],"answers":[\n${answers}\n]}\n`);
}

const hub = hubBundles();
const asked = hub.flatMap(({ name, dir }) =>
  values.map((one) => ({ name: `${name} ${JSON.stringify(one)}`, dir, values: one })),
);
record(
  "operatorhub",
  pack(ask(asked).map((answer, at) => [asked[at]?.name ?? "", toLines(answer, asked[at]?.dir ?? "")])),
);

const folder = mkdtempSync(join(tmpdir(), "capstan-oracle-"));
try {
  const dirs = mutantSeeds.map((seed) => join(folder, String(seed)));
  mutantSeeds.forEach((seed, at) => writeFiles(dirs[at] ?? "", mutant(seed)));
  const answers = ask(dirs.map((dir) => ({ dir, values: values[1] ?? {} })));
  record("mutants", pack(answers.map((answer, at) => [String(mutantSeeds[at]), toLines(answer, dirs[at] ?? "")])));
} finally {
  rmSync(folder, { recursive: true });
}
