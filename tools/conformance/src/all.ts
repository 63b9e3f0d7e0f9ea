/** Runs every list at one commit: in slices on separate clusters, several at a time. Results are stored, so that a run can resume. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseList } from "./list.ts";
import { formatResult, type TestResult } from "./report.ts";
import { findList, keepRun, readResults } from "./results.ts";
import { runTests } from "./run.ts";
import { toSlices, type Planned, type Slice } from "./slices.ts";
import { loadImages, startTarget } from "./target.ts";

/** How all tests are run. */
export interface AllWishes {
  /** OCI archives of the images that the tests ask for. */
  readonly images: readonly string[];
  /** How many clusters there are at a time. */
  readonly clusters: number;
  /** How many tests run at once on each. */
  readonly processes: number;
  /** Whether to discard stored results of this commit first. */
  readonly fresh: boolean;
  readonly record: boolean;
  /** Only tests with this text in their names; such a run is not recorded. */
  readonly only: string | undefined;
}

/** The stored results of one commit. */
interface Progress {
  readonly commit: string;
  seconds: number;
  readonly results: { [name: string]: TestResult };
}

/** How slices are run: with images that were loaded once. */
interface RunningWishes extends Pick<AllWishes, "clusters" | "processes"> {
  readonly images: { readonly store: string };
}

const lists = [
  { name: "api-only", nodes: 1 },
  { name: "with-pods", nodes: 1 },
  { name: "two-nodes", nodes: 2 },
] as const;

/** How many slices each of the clusters gets: the more, the less is lost when a run is broken off. */
const SLICES = 5;

/** A test that has no result yet takes about so long. */
const USUAL = 15;

/** Runs all that have no result at this commit; those that failed are tried once more, alone. */
export async function runAll(wishes: AllWishes): Promise<number> {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
  const progress = openProgress(commit, wishes.fresh);
  const { only = "" } = wishes;
  const tests = planned().filter(({ name }) => name.includes(only));
  const open = tests.filter(({ name }) => progress.results[name] === undefined);
  console.error(`${tests.length} tests at ${commit}; ${tests.length - open.length} have a result already`);
  using images = await loadImages(wishes.images);
  const run = { ...wishes, images };
  await runSlices(toSlices(open, wishes.clusters * SLICES, wishes.processes), run, progress);
  const failed = tests.filter(({ name }) => progress.results[name]?.state !== "passed");
  await runSlices(toSlices(failed, 1, 1), { ...run, clusters: 1, processes: 1 }, progress);
  return tell(tests, progress, wishes.record && only === "");
}

function planned(): readonly Planned[] {
  const known = readResults("cluster");
  return lists.flatMap(({ name: list, nodes }) =>
    parseList(readFileSync(findList(list) ?? list, "utf8")).map((name) => ({
      name,
      nodes,
      seconds: known.get(name)?.seconds ?? USUAL,
    })),
  );
}

async function runSlices(slices: readonly Slice[], wishes: RunningWishes, progress: Progress): Promise<void> {
  const waiting = [...slices];
  const work = async (): Promise<void> => {
    for (let slice = waiting.shift(); slice !== undefined; slice = waiting.shift()) {
      console.error(`${slice.names.length} tests on a cluster of ${slice.nodes}; ${waiting.length} slices wait`);
      await runSlice(slice, wishes, progress);
    }
  };
  await Promise.all(Array.from({ length: wishes.clusters }, work));
}

async function runSlice({ names, nodes }: Slice, wishes: RunningWishes, progress: Progress): Promise<void> {
  const began = performance.now();
  await using target = await startTarget({ on: "cluster", pods: "real", nodes, images: wishes.images });
  const { processes } = wishes;
  const results = await runTests(names, target, { nodes, isBare: false, processes, timeout: "1h" });
  for (const result of results) {
    console.log(formatResult(result));
    // What was never begun, because a run was broken off, has no result to keep.
    if (result.state === "not run") continue;
    progress.results[result.name] = withHistory(result, progress.results[result.name]);
  }
  progress.seconds += (performance.now() - began) / 1000 / wishes.clusters;
  saveProgress(progress);
}

/** What passes at the second try does not hide that it failed at first. */
function withHistory(result: TestResult, before: TestResult | undefined): TestResult {
  if (before === undefined || result.state !== "passed") return result;
  return { ...result, reason: `passed at the second try; at first: ${before.reason}` };
}

function tell(tests: readonly Planned[], { commit, results, seconds }: Progress, record: boolean): number {
  const all = tests.flatMap(({ name }) => results[name] ?? []);
  const passed = all.filter(({ state }) => state === "passed");
  const late = passed.filter(({ reason }) => reason !== "");
  for (const result of [...all.filter(({ state }) => state !== "passed"), ...late]) console.log(formatResult(result));
  const minutes = Math.round(seconds / 60);
  console.log(`${passed.length} passed, ${tests.length - passed.length} failed, ${late.length} at the second try`);
  console.log(`commit ${commit}, about ${minutes} minutes`);
  if (record) keepRun(all, { commit, minutes, secondTries: late.length });
  return passed.length === tests.length ? 0 : 1;
}

function progressFile(commit: string): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "capstan", "conformance", `${commit}.json`);
}

function openProgress(commit: string, fresh: boolean): Progress {
  const file = progressFile(commit);
  if (fresh || !existsSync(file)) return { commit, seconds: 0, results: {} };
  return JSON.parse(readFileSync(file, "utf8")) as Progress;
}

function saveProgress(progress: Progress): void {
  const file = progressFile(progress.commit);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(progress));
  renameSync(`${file}.new`, file);
}
