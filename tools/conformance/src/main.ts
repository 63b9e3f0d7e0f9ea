/** `npm run conformance -- <list>`: runs official Kubernetes tests against a server and tells one line for each. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  buildConformanceImages,
  buildPrograms,
  conformancePrograms,
  DEFAULT_RELEASE,
  programPath,
  showProgress,
} from "@capstan/kubernetes";
import { parseList, toFocus } from "./list.ts";
import { formatPage, formatResult, readReport } from "./report.ts";
import { findList, keepResults, listNames } from "./results.ts";
import { startTarget, type Target } from "./target.ts";

const help = `Runs official Kubernetes conformance tests and prints one line for each.

  npm run conformance -- <list> [--on apiserver|cluster] [--kubeconfig FILE] [--nodes N] [--processes N] [--timeout 2h] [--page FILE] ...

  <list>          a file with one full test name a line, or one of ours: ${[...listNames, "fast"].join(", ")}
  --on            what to start and test: the bare embedded API server (default) or the embedded cluster
  --pods          how pods of the embedded cluster run: real (default) or simulated
  --images        a folder with OCI archives of the images that the tests ask for; without it the most common ones are made
  --kubeconfig    tests this server instead of starting one
  --nodes         how many nodes the tests may assume (default 0 for the bare server, 1 for the cluster)
  --processes     how many tests run at once (default 2)
  --page          writes a Markdown page with every result
  --record        keeps the results for the page of the documentation (npm run generate)

Examples:
  npm run conformance -- api-only --on cluster --pods simulated
  npm run conformance -- with-pods --on cluster --images ~/images --record
  npm run conformance -- api-only --kubeconfig ~/.kube/config --page results.md`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      on: { type: "string", default: "apiserver" },
      pods: { type: "string", default: "real" },
      images: { type: "string" },
      kubeconfig: { type: "string" },
      nodes: { type: "string" },
      processes: { type: "string", default: "2" },
      timeout: { type: "string", default: "2h" },
      page: { type: "string" },
      record: { type: "boolean" },
    },
  });
  const [list] = positionals;
  if (values.help === true || list === undefined) {
    console.log(help);
    return list === undefined && values.help !== true ? 2 : 0;
  }
  const file = findList(list);
  if (file === undefined) {
    console.error(`conformance: there is no list ${list}; give a file with one full test name a line`);
    return 2;
  }
  const names = parseList(readFileSync(file, "utf8"));
  const { on, pods, nodes = on === "cluster" ? "1" : "0" } = values;
  await buildPrograms(conformancePrograms(DEFAULT_RELEASE.kubernetes), showProgress(process.stderr));
  const images = await imagesOf(values.images, on === "cluster" && pods === "real");
  await using target = await startTarget(values.kubeconfig ?? { on, pods, nodes: Number(nodes), images });
  const report = await runTests(names, target, { ...values, nodes });
  const results = readReport(readFileSync(report, "utf8"), names);
  for (const result of results) console.log(formatResult(result));
  if (values.page !== undefined) writeFileSync(values.page, formatPage(`Conformance: ${list}`, results));
  if (values.record === true) keepResults(results);
  const passed = results.filter(({ state }) => state === "passed").length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? 0 : 1;
}

/** The archives of a folder, or those that most tests need; a bare server has no use for any. */
async function imagesOf(folder: string | undefined, areNeeded: boolean): Promise<readonly string[]> {
  if (!areNeeded) return [];
  return folder === undefined ? buildConformanceImages(showProgress(process.stderr)) : archivesIn(folder);
}

function archivesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".tar"))
    .map((name) => resolve(folder, name));
}

interface Wishes {
  readonly nodes: string;
  readonly processes: string;
  readonly timeout: string;
}

/** Runs the tests and gives the path of the report; the log lies beside it. */
async function runTests(
  names: readonly string[],
  { kubeconfig, inside }: Target,
  { nodes, processes, timeout }: Wishes,
): Promise<string> {
  const [e2e, ginkgo, kubectl] = conformancePrograms(DEFAULT_RELEASE.kubernetes).map(programPath);
  const folder = mkdtempSync(join(tmpdir(), "capstan-conformance-"));
  const log = join(folder, "e2e.log");
  console.error(`log and report: ${folder}`);
  const suite = [
    "--provider=skeleton",
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectl}`,
    `--num-nodes=${nodes}`,
    "--allowed-not-ready-nodes=-1",
    "--minStartupPods=0",
    "--system-pods-startup-timeout=10s",
    "--system-daemonsets-startup-timeout=10s",
    "--node-schedulable-timeout=30s",
    "--dump-logs-on-failure=false",
    "--disable-log-dump",
    "--report-dir=",
  ];
  const runner = [
    "run",
    `--procs=${processes}`,
    `--timeout=${timeout}`,
    "--no-color",
    "--silence-skips",
    "--json-report=report.json",
    `--output-dir=${folder}`,
  ];
  const chosen = [
    "--poll-progress-after=0",
    "--keep-going",
    "--label-filter=Conformance",
    ...names.map((name) => `--focus=${toFocus(name)}`),
  ];
  await new Promise<void>((resolve, reject) => {
    const command = inside([ginkgo ?? "", ...runner, ...chosen, e2e ?? "", "--", ...suite]);
    const child = spawn("sh", ["-c", 'exec "$0" "$@" >"$LOG" 2>&1', ...command], {
      env: { ...process.env, LOG: log },
      stdio: "inherit",
    });
    child.on("error", reject);
    child.on("exit", () => resolve());
  });
  return join(folder, "report.json");
}

process.exitCode = await main();
