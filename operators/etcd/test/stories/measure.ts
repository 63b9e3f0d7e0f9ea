/**
 * Tries every fault as often as requested on both clusters, in several runs if necessary, and writes the page: `npm run faults --
 * --repeats 5`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RESULTS, writePage } from "./page.ts";

const STORIES = { embedded: "faults.test.ts", kubernetes: "faults-kubernetes.long.test.ts" };

const { values: asked } = parseArgs({
  options: {
    repeats: { type: "string", default: "5" },
    on: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    anew: { type: "boolean", default: false },
  },
});

const settings = {
  ETCD_FAULTS_RECORD: RESULTS,
  ETCD_FAULTS_REPEATS: asked.repeats,
  ETCD_FAULTS_MINUTES: asked.minutes,
  ETCD_FAULTS_ONLY: asked.only,
  ETCD_FAULTS_SEED: asked.seed,
};

/** Runs the story on one cluster; returns its exit code. */
async function tell(story: string): Promise<number> {
  const line = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning", "--test"];
  const child = spawn(process.execPath, [...line, join(import.meta.dirname, story)], {
    env: { ...process.env, ...settings },
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

if (asked.anew) await rm(RESULTS, { force: true });
for (const [ground, story] of Object.entries(STORIES)) {
  // Results from before a failure count, so the page is written in any case.
  if (asked.on === undefined || asked.on === ground) process.exitCode = (await tell(story)) || (process.exitCode ?? 0);
}
await writePage();
