/** Runs the oracle and stores its results: `node test/oracle/ask.ts <oracle program> <fixture> <kind> <seed> <count>`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { changedDefinitions, definitions } from "./definitions.ts";
import { documentQuestionsFrom, managedQuestionsFrom, type Question } from "./questions.ts";
import { strategicQuestionsFrom } from "./strategic-questions.ts";

const makers: Readonly<Record<string, (seed: number, count: number) => Question[]>> = {
  documents: documentQuestionsFrom,
  managed: managedQuestionsFrom,
  strategic: strategicQuestionsFrom,
};

const [program = "", fixture = "", kind = "", seed = "1", count = "100"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "capstan-oracle-"));
try {
  writeFileSync(join(folder, "definitions.json"), JSON.stringify(definitions));
  writeFileSync(join(folder, "changed.json"), JSON.stringify(changedDefinitions));
  const questions = makers[kind]?.(Number(seed), Number(count)) ?? [];
  const input = JSON.stringify(questions);
  const output = execFileSync(resolve(program), { cwd: folder, input, encoding: "utf8", maxBuffer: 1 << 30 });
  const lines = (JSON.parse(output) as object[]).map((answered) => JSON.stringify(answered));
  writeFileSync(fixture, `[\n${lines.join(",\n")}\n]\n`);
} finally {
  rmSync(folder, { recursive: true });
}
