/** `npm run conformance -- <list>`: runs official Kubernetes tests against a server and prints one line for each. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildPrograms, conformancePrograms, DEFAULT_RELEASE, showProgress } from "@capstan/kubernetes";
import { runAll } from "./all.ts";
import { endOnSignals } from "./end-with-us.ts";
import { imagesFor } from "./images.ts";
import { parseList } from "./list.ts";
import { formatPage, formatResult, type TestResult } from "./report.ts";
import { findList, keepResults, listNames } from "./results.ts";
import { runTests } from "./run.ts";
import { startTarget } from "./target.ts";

const help = `Runs official Kubernetes conformance tests and prints one line for each.

  npm run conformance -- <list> [--on apiserver|cluster] [--kubeconfig FILE] [--nodes N] [--processes N] [--timeout 2h] [--page FILE] ...

  <list>          a file with one full test name a line, or one of ours: ${[...listNames, "fast"].join(", ")};
                  all: those of the cluster in one run at one commit, in slices on clusters of their own; a run that was broken off goes on
  --on            what to start and test: the bare embedded API server (default) or the embedded cluster
  --pods          how pods of the embedded cluster run: real (default) or simulated
  --images        a folder with OCI archives of the images that the tests ask for, instead of those that are made here: once, of what is
                  built from Go modules and of Debian packages, all of them or, for fast and api-only, the three that do
  --kubeconfig    tests this server instead of starting one
  --nodes         how many nodes the tests may assume (default 0 for the bare server, 1 for the cluster)
  --processes     how many tests run at once on a cluster (default 2)
  --clusters      for all: how many clusters there are at a time (default 2)
  --only          for all: only tests whose names have this in them; nothing is recorded then
  --fresh         for all: forget what is known of this commit
  --page          writes a Markdown page with every result
  --record        keeps the results for the page of the documentation (npm run generate)

Examples:
  npm run conformance -- all --processes 4 --record
  npm run conformance -- api-only --record
  npm run conformance -- api-only --on cluster --pods simulated
  npm run conformance -- with-pods --on cluster --record
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
      clusters: { type: "string", default: "2" },
      fresh: { type: "boolean", default: false },
      only: { type: "string" },
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
  return list === "all" ? all(values) : runList(list, values);
}

interface ListValues extends AllValues {
  readonly on: string;
  readonly pods: string;
  readonly kubeconfig?: string | undefined;
  readonly nodes?: string | undefined;
  readonly timeout: string;
  readonly page?: string | undefined;
}

async function runList(list: string, values: ListValues): Promise<number> {
  const file = findList(list);
  if (file === undefined) {
    console.error(`conformance: there is no list ${list}; give a file with one full test name a line`);
    return 2;
  }
  const names = parseList(readFileSync(file, "utf8"));
  const { on, pods, timeout } = values;
  const nodes = Number(values.nodes ?? (on === "cluster" ? 1 : 0));
  await buildPrograms(conformancePrograms(DEFAULT_RELEASE.kubernetes), showProgress(process.stderr));
  const startsPods = values.kubeconfig === undefined && on === "cluster" && pods === "real";
  const images = startsPods ? await imagesFor(list, values.images) : [];
  await using target = await startTarget(values.kubeconfig ?? { on, pods, nodes, images });
  const isBare = values.kubeconfig === undefined && on === "apiserver";
  const results = await runTests(names, target, { nodes, processes: Number(values.processes), timeout, isBare });
  for (const result of results) console.log(formatResult(result));
  if (values.page !== undefined) writeFileSync(values.page, formatPage(`Conformance: ${list}`, results));
  if (values.record === true) keepResults(results, isBare ? "bare" : "cluster");
  return tell(results);
}

interface AllValues {
  readonly images?: string | undefined;
  readonly clusters: string;
  readonly processes: string;
  readonly fresh: boolean;
  readonly only?: string | undefined;
  readonly record?: boolean | undefined;
}

async function all({ images, clusters, processes, fresh, only, record = false }: AllValues): Promise<number> {
  await buildPrograms(conformancePrograms(DEFAULT_RELEASE.kubernetes), showProgress(process.stderr));
  return runAll({
    images: await imagesFor("all", images),
    clusters: Number(clusters),
    processes: Number(processes),
    fresh,
    only,
    record,
  });
}

function tell(results: readonly TestResult[]): number {
  const passed = results.filter(({ state }) => state === "passed").length;
  console.log(`${passed} passed, ${results.length - passed} failed`);
  return passed === results.length ? 0 : 1;
}

endOnSignals();
process.exitCode = await main();
