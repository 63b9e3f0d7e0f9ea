/** Records the oracle's results: `node record.ts <oracle>`. Real bundles are read in place; only the results are stored. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answer, toLines } from "./judge.ts";
import { imagesOf, readBundle } from "../../src/index.ts";
import { mutant } from "./mutate.ts";
import { writeFakeDocker } from "./platforms.ts";
import { filesBelow, hubBundles, mutantSeeds, type Recording, type Recorded, values, writeFiles } from "./questions.ts";

const [program = ""] = process.argv.slice(2);
const docker = mkdtempSync(join(tmpdir(), "capstan-docker-"));

function ask(questions: readonly { readonly dir: string; readonly values: object }[]): Answer[] {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  writeFakeDocker(
    docker,
    questions.flatMap(({ dir }) => imagesBelow(dir)),
  );
  const env = { ...process.env, PATH: `${docker}:${process.env["PATH"]}`, ORACLE_IMAGES: docker };
  const output = execFileSync(program, { input, env, encoding: "utf8", maxBuffer: 2 ** 30 });
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Answer);
}

function imagesBelow(dir: string): string[] {
  const files = new Map(filesBelow(dir));
  const read = readBundle(files);
  return "bundle" in read ? imagesOf(read.bundle.csv) : [];
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
  rmSync(docker, { recursive: true });
}
