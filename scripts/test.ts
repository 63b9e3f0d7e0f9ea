/** Everything, as CI runs it: set up what the tests need, check the sources, run every test. */
import { spawnSync } from "node:child_process";
import { changedFiles } from "./test/changed.ts";
import { parseTestCommand } from "./test/command-line.ts";
import { testFiles, toGroups } from "./test/files.ts";
import { affectedBy, type Graph, inputsHash, readGraph } from "./test/graph.ts";
import { LONG_LIMIT_MINUTES, planLines, planLong, readLongResults, writeLongResults } from "./test/long.ts";
import { prepareMachine, tidyMachine } from "./test/machine.ts";
import { readNeeds } from "./test/needs.ts";
import { runTests, type TestRun } from "./test/run-tests.ts";
import { closingLines, mayBeSkipped } from "./test/summary.ts";
import { groupName, keepTimes, knownTimes, recordTimes } from "./test/times.ts";

const ci = process.env.CI === "true";
const command = parseTestCommand(process.argv.slice(2));
const isWhole = command.parts.length === 0 && command.changedSince === undefined && !command.long;

async function main(): Promise<number> {
  if (isWhole) {
    const checked = spawnSync(process.execPath, ["--conditions=@capstan/source", "scripts/check.ts"], {
      stdio: "inherit",
    });
    if (checked.status !== 0) return 1;
  }
  const graph = readGraph();
  const files = selectFiles(graph);
  if (files.length === 0 && command.changedSince !== undefined) return 0;
  const outcome = await runPrepared(files, graph);
  const isGood = report(outcome);
  const isLongGood = isWhole && isGood ? await runStaleLong(graph, files.flatMap(readNeeds(graph))) : true;
  await tidyMachine(console.log);
  return isGood && isLongGood ? 0 : 1;
}

function selectFiles(graph: Graph): string[] {
  const { parts, changedSince, long } = command;
  if (changedSince !== undefined) {
    const changed = changedFiles(changedSince === "" ? undefined : changedSince);
    const files = affectedBy(testFiles("unit", "package", "story"), changed, graph);
    console.log(`${changed.length} files changed; ${files.length} test files depend on them`);
    return files;
  }
  const files = long
    ? testFiles("long")
    : testFiles("package", "story", ...(parts.length > 0 ? ["long" as const] : []));
  return files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
}

/** Runs files, and builds beside them what some of them need. */
async function runPrepared(files: readonly string[], graph: Graph, limitMs?: number): Promise<TestRun> {
  const needsOf = readNeeds(graph);
  const preparations = await prepareMachine([...new Set(files.flatMap(needsOf))], { ci, report: console.log });
  const outcome = await runTests(files, {
    print: console.log,
    times: knownTimes(),
    needsOf,
    preparations,
    limitMs,
    secondAttempt: ci && isWhole && !command.once,
  });
  keepTimes(outcome.times);
  if (command.recordTimes) recordTimes(outcome.times, toGroups(testFiles("unit", "package", "story")).map(groupName));
  if (command.long) recordLong(outcome, graph);
  return outcome;
}

/** Prints the outcome; under CI a skip is a failure, too. */
function report(outcome: TestRun): boolean {
  for (const line of closingLines(outcome, { ci })) console.log(line);
  return outcome.ok && outcome.skipped.every((test) => !ci || mayBeSkipped(test));
}

/** Runs the long tests that have not passed with the current sources, as far as time allows, and ends them before CI ends the run. */
async function runStaleLong(graph: Graph, built: readonly string[]): Promise<boolean> {
  const results = readLongResults();
  const secondsUntil = (minutes: number): number => minutes * 60 - process.uptime();
  const budget = secondsUntil(Math.min(command.budgetMinutes, LONG_LIMIT_MINUTES));
  const needsOf = readNeeds(graph);
  const files = testFiles("long").map((file) => {
    const builds = needsOf(file).filter((need) => !built.includes(need)).length;
    return { file, inputs: inputsHash(file, graph), builds };
  });
  const plan = planLong(files, results, budget);
  for (const line of planLines(plan, results, budget)) console.log(line);
  if (plan.run.length === 0) return true;
  const outcome = await runPrepared(plan.run, graph, secondsUntil(LONG_LIMIT_MINUTES) * 1000);
  for (const file of outcome.unfinished) console.log(`  ended for want of time: npm run test:long -- ${file}`);
  return outcome.unfinished.length === plan.run.length || report(outcome);
}

/** Results are committed with the hash of what they tested, so that a stale one cannot be taken for a fresh one. */
function recordLong({ times, failedFiles }: TestRun, graph: Graph): void {
  const date = new Date().toISOString().slice(0, 10);
  const ran = [...new Set([...Object.keys(times), ...failedFiles])].map((file) => {
    const result = failedFiles.includes(file) ? ("failed" as const) : ("passed" as const);
    const seconds = Math.round(times[file]?.seconds ?? 0);
    return [file, { inputs: inputsHash(file, graph), date, result, seconds }] as const;
  });
  const known = new Set(testFiles("long"));
  const kept = Object.entries(readLongResults()).filter(([file]) => known.has(file));
  writeLongResults({ ...Object.fromEntries(kept), ...Object.fromEntries(ran) });
}

// A build that was ended at the limit may still run, and would hold the process.
process.exit(await main());
