/** Renders docs/crash.md from the recorded episodes: `node test/crash/page.ts` writes it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Recorded } from "./record.ts";

const docs = join(import.meta.dirname, "../../docs");
export const PAGE: string = join(docs, "crash.md");
const DATA = join(docs, "crash.jsonl");

const GROUNDS = ["embedded", "kubernetes"] as const;
type Ground = (typeof GROUNDS)[number];

/** The page as the data requires it: the newest run of every episode on every cluster. */
export async function makePage(): Promise<string> {
  const lines = (await readFile(DATA, "utf8")).trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as Recorded);
  const episodes = [...new Set(all.map(({ episode }) => episode))];
  const newest = (ground: Ground, name: string): Recorded[] =>
    all.filter(({ ground: on, episode }) => on === ground && episode === name).slice(-1);
  const told = episodes.flatMap((name) => GROUNDS.flatMap((ground) => newest(ground, name)));
  const rows = episodes.map(
    (name) => `| it ${[name, ...GROUNDS.flatMap((ground) => cells(newest(ground, name)))].join(" | ")} |`,
  );
  return [INTRODUCTION, ...rows, "", summary(told), "", deathsOf(told), "", REPEAT, ""].join("\n");
}

function cells([one]: readonly Recorded[]): string[] {
  if (one === undefined) return ["", "", "", ""];
  return [one.writes, one.deaths.length, one.answers, one.lost].map(String);
}

function summary(told: readonly Recorded[]): string {
  const sum = (count: (one: Recorded) => number): number => told.reduce((total, one) => total + count(one), 0);
  const commits = [...new Set(told.map(({ commit }) => commit))].join(", ");
  const [kills, memberStatuses, lost] = [
    sum(({ deaths }) => deaths.length),
    sum((one) => one.answers),
    sum((one) => one.lost),
  ];
  return `At ${commits}: ${told.length} episodes, ${kills} kills, ${memberStatuses} answers to clients judged, ${lost} acknowledged writes lost.`;
}

/** The kinds of writes before which the operator was killed, without names of members and versions. */
function deathsOf(told: readonly Recorded[]): string {
  const counts = new Map<string, number>();
  for (const death of told.flatMap(({ deaths }) => deaths)) {
    const kind = death.replace(/^(?<verb>\w+) (?<plural>\w+).*?(?<sub>\/status)?$/u, "$<verb> $<plural>$<sub>");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const words = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${count} \`${kind}\``);
  return `It died before: ${words.join(", ")}.`;
}

const INTRODUCTION = `# The operator dies between any two of its writes

Made by [the story](../test/crash/crash.test.ts) and not typed by anybody. One cluster of real members (with TLS) goes through
all episodes, one after the other, on the embedded cluster and on a real Kubernetes. Behind every write that the operator makes it is killed
(SIGKILL) before the next, and started again. Only a life that begins with the same write as the one before is let go one write further, or it would never get on.
Every episode has to end as with an operator that lives: all members well, nothing left to do, the same cluster, and every key that was written after
an earlier episode still there. From the first member on three clients write and read all the time; what they saw must be
[linearizable](../test/linearizability/checker.ts), and where two of three volumes are gone nothing may be lost but what the status names.

For each cluster: writes of the operator that came through, how often it was killed, answers that clients got, acknowledged writes that were lost. Clients of
"sleeps" are judged with "wakes".

| the cluster | embedded: writes | kills | answers | lost | Kubernetes: writes | kills | answers | lost |
|---|---|---|---|---|---|---|---|---|`;

const REPEAT = `Before every single write, without exception, it dies in the scripted world: [crash.test.ts](../test/world/crash.test.ts). To do it all again, in this repository:

\`\`\`sh
ETCD_CRASH_RECORD=$PWD/operators/etcd/docs/crash.jsonl CAPSTAN_EPISODES=all node --conditions=@capstan/source --test operators/etcd/test/crash/crash.test.ts
node --conditions=@capstan/source operators/etcd/test/crash/page.ts
\`\`\``;

if (import.meta.main) await writeFile(PAGE, await makePage());
