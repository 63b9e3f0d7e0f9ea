import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { differences } from "./oracle/differences.ts";
import { type Answer, judge, judgeFiles, toLines } from "./oracle/judge.ts";
import { classicTests, readFolder, runClassicTest } from "../src/index.ts";
import { mutant } from "./oracle/mutate.ts";
import { hubBundles, hubFolder, readRecorded, values } from "./oracle/questions.ts";
import { scoreLines } from "./oracle/score-lines.ts";

const withoutHub = "the catalog of real operators, which is not ours to ship, is not beside this checkout";

function explained(ours: readonly string[], theirs: readonly string[]): boolean {
  const onlyOurs = ours.filter((line) => !theirs.includes(line));
  const onlyTheirs = theirs.filter((line) => !ours.includes(line));
  return differences.some(({ explains }) => explains(onlyOurs, onlyTheirs));
}

function compare(answer: Answer, folder: string, theirs: readonly string[]): "same" | "explained" {
  const ours = toLines(answer, folder);
  if (ours.join("\n") === theirs.join("\n")) return "same";
  if (!explained(ours, theirs)) assert.deepEqual(ours, theirs);
  return "explained";
}

test(
  "of every real bundle we say what the operator framework's validators say",
  {
    skip: existsSync(hubFolder) ? false : withoutHub,
  },
  async (t) => {
    const { lines, answers } = readRecorded("operatorhub");
    const said = new Map(answers.map(([name, at]) => [name, at.map((one) => lines[one] ?? "")]));
    let compared = 0;
    for (const { name, dir } of hubBundles())
      for (const one of values) {
        const question = `${name} ${JSON.stringify(one)}`;
        const theirs = said.get(question);
        if (theirs === undefined) {
          t.diagnostic(`no answer is recorded to ${question}: see test/oracle/README.md`);
          continue;
        }
        assert.equal(compare(await judge(dir, one), dir, theirs), "same", name);
        compared++;
      }
    assert.ok(compared >= 74 * values.length, `${compared} answers are recorded to bundles of the catalog`);
  },
);

test("broken bundles have the findings of the operator framework, or a known reason", () => {
  const { lines, answers } = readRecorded("mutants");
  let same = 0;
  for (const [seed, at] of answers) {
    const files = new Map([...mutant(Number(seed))].map(([path, text]) => [path, Buffer.from(text)]));
    const theirs = at.map((one) => lines[one] ?? "");
    try {
      if (compare(judgeFiles(files, values[1]), "", theirs) === "same") same++;
    } catch (cause) {
      throw new Error(`the broken bundle with the seed ${seed}`, { cause });
    }
  }
  assert.ok(same >= answers.length * 0.99, `${same} of ${answers.length} are the same`);
});

/** The recorded results of operator-sdk's scorecard: of real bundles, which have a slash in their names, or of mutants, which are seeds. */
function scorecardAnswers(of: "real" | "broken"): { readonly name: string; readonly theirs: readonly string[] }[] {
  const { lines, answers } = readRecorded("scorecard");
  const found = answers
    .filter(([name]) => name.includes("/") === (of === "real"))
    .map(([name, said]) => ({ name, theirs: said.map((at) => lines[at] ?? "") }));
  assert.ok(found.length > 0, `answers are recorded of ${of} bundles`);
  return found;
}

function scored(files: Parameters<typeof runClassicTest>[1]): readonly string[] {
  return scoreLines(Object.fromEntries(classicTests.map((one) => [one, runClassicTest(one, files)])));
}

test("the classic tests of the scorecard say what operator-sdk's say of broken bundles", () => {
  for (const { name, theirs } of scorecardAnswers("broken")) {
    const files = new Map([...mutant(Number(name))].map(([path, text]) => [path, Buffer.from(text)]));
    assert.deepEqual(scored(files), theirs, name);
  }
});

test(
  "the classic tests of the scorecard say what operator-sdk's say of real bundles",
  { skip: existsSync(hubFolder) ? false : withoutHub },
  async () => {
    const hub = new Map(hubBundles().map(({ name, dir }) => [name, dir]));
    for (const { name, theirs } of scorecardAnswers("real")) {
      const dir = hub.get(name) ?? assert.fail(`${name} is not among the real bundles`);
      assert.deepEqual(scored(await readFolder(dir)), theirs, name);
    }
  },
);
