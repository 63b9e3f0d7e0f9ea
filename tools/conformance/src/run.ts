/** Runs official tests against a target with ginkgo, and reads what came of them. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformancePrograms, DEFAULT_RELEASE, programPath } from "@capstan/kubernetes";
import { endWithUs } from "./end-with-us.ts";
import { toFocus } from "./list.ts";
import { readReport, type TestResult } from "./report.ts";
import type { Target } from "./target.ts";

/** How tests are run. */
export interface RunWishes {
  /** How many nodes the tests may assume. */
  readonly nodes: number;
  /** Whether new namespaces get no service account, so that tests must not wait for it. */
  readonly isBare: boolean;
  /** How many run at once. */
  readonly processes: number;
  /** As Go writes durations: 2h. */
  readonly timeout: string;
}

/** Runs the tests and returns each with its result; log and report are in the given folder. */
export async function runTests(
  names: readonly string[],
  { kubeconfig, inside }: Target,
  wishes: RunWishes,
): Promise<TestResult[]> {
  const [e2e = "", ginkgo = "", kubectl = ""] = conformancePrograms(DEFAULT_RELEASE.kubernetes).map(programPath);
  const folder = mkdtempSync(join(tmpdir(), "capstan-conformance-"));
  console.error(`log and report: ${folder}`);
  const suite = suiteFlags({ kubeconfig, kubectl }, wishes);
  const command = inside([ginkgo, ...runnerFlags(folder, wishes), ...chosen(names), e2e, "--", ...suite]);
  await new Promise<void>((resolve, reject) => {
    const child = spawn("sh", ["-c", 'exec "$0" "$@" >"$LOG" 2>&1', ...command], {
      env: { ...process.env, LOG: join(folder, "e2e.log") },
      stdio: "inherit",
    });
    endWithUs(child);
    child.on("error", reject);
    child.on("exit", () => resolve());
  });
  const report = join(folder, "report.json");
  // A runner that was ended before its time leaves no report: then nothing was run.
  return readReport(existsSync(report) ? readFileSync(report, "utf8") : "[]", names);
}

function suiteFlags(
  { kubeconfig, kubectl }: { readonly kubeconfig: string; readonly kubectl: string },
  { nodes, isBare }: RunWishes,
): readonly string[] {
  return [
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
    `--e2e-verify-service-account=${!isBare}`,
  ];
}

function runnerFlags(folder: string, { processes, timeout }: RunWishes): readonly string[] {
  return [
    "run",
    `--procs=${processes}`,
    `--timeout=${timeout}`,
    "--no-color",
    "--silence-skips",
    "--json-report=report.json",
    `--output-dir=${folder}`,
  ];
}

function chosen(names: readonly string[]): readonly string[] {
  const focus = names.map((name) => `--focus=${toFocus(name)}`);
  return ["--poll-progress-after=0", "--keep-going", "--label-filter=Conformance", ...focus];
}
