/** Renders docs/lifecycle.md from the measurements of the lifecycle story: `node test/lifecycle/page.ts` writes it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Recorded } from "./record.ts";

const docs = join(import.meta.dirname, "../../docs");
export const PAGE: string = join(docs, "lifecycle.md");
const DATA = join(docs, "lifecycle.jsonl");

const GROUNDS = ["embedded", "kubernetes"] as const;
type Ground = (typeof GROUNDS)[number];

/** The page as the data requires it. */
export async function makePage(): Promise<string> {
  const lines = (await readFile(DATA, "utf8")).trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as Recorded);
  const newest = (ground: Ground, name: string): Recorded | undefined =>
    all.findLast((one) => one.ground === ground && one.name === name);
  const steps = [...new Set(all.map(({ name }) => name))];
  const rows = steps.map(
    (name) => `| ${[name, ...GROUNDS.flatMap((ground) => cells(newest(ground, name)))].join(" | ")} |`,
  );
  return [INTRODUCTION, ...rows, "", ...GROUNDS.map((ground) => circumstances(ground, all)), "", REPEAT, ""].join("\n");
}

function cells(step: Recorded | undefined): string[] {
  if (step === undefined) return ["", "", ""];
  const { seconds, longestWriteGapMs, acknowledged } = step;
  return [seconds.toFixed(0), (longestWriteGapMs / 1000).toFixed(1), String(acknowledged)];
}

function circumstances(ground: Ground, all: readonly Recorded[]): string {
  const last = all.findLast((one) => one.ground === ground);
  if (last === undefined) return `- ${ground}: not measured yet.`;
  return `- ${ground}: ${last.at} UTC, at ${last.commit}, ${last.cores} cores, load ${last.load}.`;
}

const INTRODUCTION = `# How long nobody could write

Measured by [the lifecycle story](../test/lifecycle/lifecycle.test.ts) and not typed by anybody: four clients write and read four keys through the
Service all the time, while a cluster of three goes through its life. Everything that they were answered was judged
[linearizable](../test/linearizability/checker.ts), over all steps, sleep and wake included; nothing acknowledged was lost.

For each cluster: how many seconds the step took until nothing was left to do, the longest time in seconds in which nobody's write was acknowledged,
and how many answers clients got. While the cluster sleeps nobody is served, as was asked for; the gap of "wake" is from the wish to the first write.

| step | embedded: seconds | without a write | answers | Kubernetes: seconds | without a write | answers |
|---|---|---|---|---|---|---|`;

const REPEAT = `The machine was shared with other work: take the figures as upper bounds. To measure anew, in this repository:

\`\`\`sh
ETCD_LIFECYCLE_RECORD=$PWD/operators/etcd/docs/lifecycle.jsonl node --conditions=@capstan/source --test operators/etcd/test/lifecycle/lifecycle.test.ts
node --conditions=@capstan/source operators/etcd/test/lifecycle/page.ts
\`\`\``;

if (import.meta.main) await writeFile(PAGE, await makePage());
