/** `npm run bench`: measures every promised figure, one suite after the other; with names, only those suites. */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { formatLimit, judge, unmeasured } from "./ceilings.ts";
import { rowsOf } from "./growth.ts";
import { writePage } from "./page.ts";
import { keepResults, median, readResults } from "./result.ts";
import type { Found } from "./result.ts";

/** Options of a suite. */
export interface BenchOptions {
  readonly peers: readonly string[];
  readonly objects: number;
  readonly rounds: number;
  readonly sizes: readonly number[];
}

const suites: { readonly [name: string]: (options: BenchOptions) => Promise<Found> } = {
  import: async ({ rounds }) => (await import("./import.ts")).benchImport(rounds * 5),
  dev: async ({ rounds }) => (await import("./dev.ts")).benchDev(rounds),
  queue: async ({ rounds }) => (await import("./queue.ts")).benchQueue(rounds),
  client: async () => (await import("./client.ts")).benchClient(),
  runtime: async (options) => (await import("./runtime.ts")).benchRuntime(options),
  changes: async (options) => (await import("./changes.ts")).benchChanges(options),
  cache: async (options) => (await import("./cache.ts")).benchCache(options),
  scale: async (options) => (await import("./scale.ts")).benchScale(options),
  apiserver: async (options) => (await import("./apiserver.ts")).benchApiServer(options),
  crowd: async (options) => (await import("./crowd.ts")).benchCrowd(options),
  metering: async ({ rounds }) => (await import("./metering.ts")).benchMetering({ rounds }),
  cluster: async (options) => (await import("./cluster.ts")).benchCluster(options),
};

const help = `npm run bench -- [suite ...] [--rounds N] [--objects N] [--peers a,b] [--sizes N,N]

Suites: ${Object.keys(suites).join(", ")}; all of them unless some are named. \`page\` only makes the page again.
Peers of runtime and cache: capstan, controller-runtime, controller-runtime-ryw, kube-rs, client-node.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      peers: { type: "string", default: "capstan,controller-runtime,controller-runtime-ryw,kube-rs,client-node" },
      objects: { type: "string", default: "2000" },
      rounds: { type: "string", default: "3" },
      sizes: { type: "string", default: "1000,5000,20000,50000" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const wanted = positionals.length === 0 ? Object.keys(suites) : positionals.filter((name) => name !== "page");
  const unknown = wanted.find((name) => !(name in suites));
  if (unknown !== undefined) throw new RangeError(`there is no suite ${unknown}\n${help}`);
  if (wanted.length > 0) execFileSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
  const options: BenchOptions = {
    peers: values.peers.split(","),
    objects: Number(values.objects),
    rounds: Number(values.rounds),
    sizes: values.sizes.split(",").map(Number),
  };
  for (const name of wanted) await runSuite(name, options);
  writePage(readResults());
  tellVerdicts(wanted);
  console.log(`everything took ${minutesSince(0)}`);
}

/** Logs the error of a suite that fails, which fails the benchmark; the others continue. */
async function runSuite(name: string, options: BenchOptions): Promise<void> {
  const began = performance.now();
  console.log(`\n${name}, ${minutesSince(0)} after the start`);
  try {
    keepResults(name, await (suites[name]?.(options) ?? { rows: [] }));
    console.log(`${name} took ${minutesSince(began)}`);
  } catch (error) {
    console.error(`${name} failed after ${minutesSince(began)}:`, error);
    process.exitCode = 1;
  }
}

function minutesSince(began: number): string {
  return `${((performance.now() - began) / 60_000).toFixed(1)} min`;
}

function tellVerdicts(wanted: readonly string[]): void {
  const rows = rowsOf(readResults()).filter(({ suite }) => wanted.includes(suite));
  const verdicts = judge(rows);
  const missing = unmeasured(rows, wanted);
  for (const promise of missing) console.log(`NOT MEASURED ${promise}`);
  for (const { row, limit, figure, holds } of verdicts) {
    const ratio = "times" in limit ? ` (${(figure / median(row.figures[limit.times] ?? [])).toFixed(2)} x)` : "";
    console.log(
      `${holds ? "holds " : "PASSED"} ${row.suite}/${row.name}: ${figure.toPrecision(4)} ${row.unit}${ratio}, promised ${formatLimit(limit)}`,
    );
  }
  if (missing.length > 0 || verdicts.some(({ holds }) => !holds)) process.exitCode = 1;
}

await main();
