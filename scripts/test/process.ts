/** Runs test files in one Node process and returns their results, wall seconds and CPU seconds. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong } from "./files.ts";
import { toReport, type Report } from "./report.ts";

export interface ProcessRun extends Report {
  readonly seconds: number;
  /** How the process ended, if that was abnormal. */
  readonly accident: string | undefined;
}

export interface ProcessOptions {
  readonly onError: (text: string) => void;
  /** Kills the process and what it started. */
  readonly signal: AbortSignal;
}

/** Keeps compiled modules: a process loads several hundred, and so does each program that a test starts. */
const COMPILE_CACHE = join(process.cwd(), "node_modules/.cache/compiled-modules");

/** A process that takes longer hangs. */
const limitMinutes = { short: 20, long: 120 };

export async function runProcess(files: readonly string[], { onError, signal }: ProcessOptions): Promise<ProcessRun> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-report-"));
  const report = join(folder, "report.jsonl");
  const began = performance.now();
  try {
    const accident = await runNode([...files], { report, onError, signal });
    const seconds = (performance.now() - began) / 1000;
    return {
      ...toReport(existsSync(report) ? readFileSync(report, "utf8") : "", files, process.cwd()),
      seconds,
      accident,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface NodeOptions extends ProcessOptions {
  readonly report: string;
}

/** Returns how the process ended, if that was abnormal. */
async function runNode(files: string[], { report, onError, signal }: NodeOptions): Promise<string | undefined> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...flags(), ...files], {
    env: {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
      CAPSTAN_TEST_REPORT: report,
      CAPSTAN_TEST_OWNER: env["CAPSTAN_TEST_OWNER"] ?? String(process.pid),
    },
    stdio: ["ignore", "ignore", "pipe"],
    // A process group, so that processes that a test left behind end with it.
    detached: true,
  });
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  child.stderr.setEncoding("utf8").on("data", onError);
  const minutes = files.some(isLong) ? limitMinutes.long : limitMinutes.short;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, minutes * 60_000);
  signal.addEventListener("abort", kill);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      // A process that a test left behind may hold the output open for ever.
      setTimeout(() => child.stderr.destroy(), 1000).unref();
    });
    child.on("close", (code, name) => {
      if (late) resolve(`it did not end in ${minutes} minutes`);
      else resolve(code === 0 || code === 1 ? undefined : `its process ended with ${name ?? `code ${code}`}`);
    });
  });
}

function flags(): string[] {
  return [
    ...process.execArgv.filter((flag) => flag.startsWith("--conditions") || flag.startsWith("--disable-warning")),
    `--import=${import.meta.resolve("./async-hooks.ts")}`,
    ...(process.env["CAPSTAN_SEED"] === undefined ? [] : [`--import=${import.meta.resolve("./seed.ts")}`]),
    `--test-reporter=${fileURLToPath(import.meta.resolve("./reporter.ts"))}`,
    "--test-reporter-destination=stdout",
    fileURLToPath(import.meta.resolve("./entry.ts")),
  ];
}
