/** Renders docs/faults.md from recorded results: the text is here, the figures only in docs/faults.jsonl. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plannedHarms } from "./harms/index.ts";
import { parseResults } from "./results.ts";
import type { Recorded, RefusalResult, TrialResult } from "./results.ts";

type RecordedTrial = Extract<Recorded, { kind: "trial" }>;
type RecordedRefusal = Extract<Recorded, { kind: "refusal" }>;

const DOCS = join(import.meta.dirname, "..", "..", "docs");
export const RESULTS = join(DOCS, "faults.jsonl");
export const PAGE = join(DOCS, "faults.md");

const INTRODUCTION = `# What it survives

<!-- Made by test/stories/page.ts from docs/faults.jsonl: change those. -->

Each harm is done to a cluster of three real members (etcd 3.6.16, TLS) on the embedded cluster with real pods and on a real Kubernetes 1.36 with
three nodes, at a moment that is left to chance, while four clients write and read through the service. Where the table says \`at work\`, the operator
was making all members anew just then, because somebody had changed the spec. Where a quorum survives, the history of the clients must be linearizable
(Wing and Gong's search with Lowe's memory, key by key), so no acknowledged write may be lost and nobody may read what is out of date. Nobody helps: lines
are mended, nodes and the API server come back, everything else is the operator's work. \`recovery.replaceAfter\` is 30 s here instead of 5 m,
\`corrupt-check-time\` 5 s instead of 1 h, the quota 64 MiB.`;

const COLUMNS = `Seconds to recover are counted until three members are well, the operator has nothing left to do and clients are served: since
the harm, or, where a line or the API server had to come back first, since that. The API server was away for a minute. Longest without a write: the
longest time in which no write of anybody was acknowledged, between the harm and that moment; after an alarm about corrupt data etcd takes no writes at
all, and the operator, which looks every 30 s where nothing happens, has to find out first. Median and worst of all times; \`at work\`: so many of them hit the
operator while it was making all members anew.`;

const RECOVERY = `## When most copies are gone

Two of three volumes are deleted while clients write. What only those had cannot be had again: a write that was acknowledged by the two and had not yet
reached the third. The operator stops what is left, goes on with the newest copy alone, and lets others join it; \`status.recovery\` tells why, with whom, and
from which revision on writes may be lost. The test reads every key as it was at that revision and compares it with what clients were told.
Where a backup has all that is left and more, [it is taken instead](../test/world/later-backup.test.ts), and nothing that is left is given up before a member serves
it ([why](../../../docs/decisions/0026-backup-before-a-stale-copy.md)).`;

const REFUSALS = `## When it must refuse

Going on without members that may still serve somebody would make two clusters of one. So it does nothing, says why in the condition \`Degraded\`,
and goes on by itself when the reason is gone. No recovery was begun, and what was written before was read again.`;

const DISPUTES = `## When data differs

etcd's leader compares the others with itself, so a leader with bad data accuses those whose data is good. A member that starts compares itself with
whoever is up, and ends where anybody differs, so one that is up with bad data keeps those from starting whose data is good. Nobody's word
counts alone: the operator asks all for the hash of the same revision, and goes by more than half of all who vote. Where nobody writes it asks for what each has now: for
the revision of its last compaction etcd answers with the hash that it kept then, which counts from the compaction before, which those who joined or were restarted since do
not have ([test](../test/etcd/idle.test.ts)), and in which nothing is seen that went bad since. It asks every hour, when etcd raises an alarm,
when a member ends again and again, and before it gives one up, lets one in or takes one away, for whoever comes gets the data of those who are there, and
whoever goes may be the one who is right. Whoever is kept from
starting may be the one who decides: it is let start without comparing (the annotation \`etcd.capstan.dev/initial-check\` of its pod) until it was heard.

| what is found | what it does |
|---|---|
| more than half of all who vote have the same data | whoever differs is replaced; alarms about the others are disarmed |
| not so many answer, and one who has its volume ends again and again | that one is let start, and all are asked again |
| nobody leads, because one is up and the others end again and again | after \`recovery.replaceAfter\` they are let start, one after the other, and all are asked |
| somebody who talks and votes gives no hash of the same compaction, or another one in another version | no member is removed or added; it is tried again, after one minute, two, four and at last every half hour, and after \`recovery.replaceAfter\` told: \`DataUncompared\` |
| all that can be had was heard, and no more than half have the same | nothing: \`DataDiffers\`. Nobody can say who is right: two of two, two that are left of three, two and two of four |

[All combinations](../test/model/dispute.test.ts) of two, three and four voters that are up, kept out, broken or gone, with up to three kinds of data: nobody who is
right is ever given up. The [scripted world](../test/world/rot.test.ts) has the cases with etcd's own rules. Up to adcf89c nobody was let start so: bits that changed in
the database of the leader while all were made anew ended in \`DataDiffers\`, once on each cluster, waiting for hands. The trials at work above are of later.

A hash may take 30 s, and 1 s more for each 20 MB, up to 70 s. Where one is never given, somebody's word counts instead: an EtcdOperation \`replaceMember\` with
\`evenUncompared: true\` replaces whoever gives none or does not serve, after \`recovery.replaceAfter\`, one for one, never below quorum and never where data is known to differ
([word.test.ts](../test/world/word.test.ts)). Without quorum, those that are left are compared with the same pauses, and one that gives no hash is told of with the ways out
([rot-mute.test.ts](../test/world/rot-mute.test.ts)). Whoever votes, is silent and has no volume any more is no judge; learners never are ([rot-lost.test.ts](../test/world/rot-lost.test.ts)).
While data differs or cannot be compared, backups push no older ones out, and none is taken from whoever differs from a majority. A member whose volume is gone or goes with its pod is
exchanged and never restarted, and a cluster with such members is not put to sleep ([rot-leave.test.ts](../test/world/rot-leave.test.ts)). A dispute that waits for somebody, and an accusation about which nothing
may be done, are looked at again after one minute, two, four and at last every hour, and at once where other members vote, in other pods, or the spec changes ([rot-pace.test.ts](../test/world/rot-pace.test.ts)).

What is open: hashes of two versions are compared where they are equal only. 3.5, 3.6 and 3.7 hash alike; should one ever not, one or two members that are exchanged for others of it wait half way
for somebody's word, as do three that become two in the midst of an update where of two versions that differ one is up each.`;

const ELSEWHERE = `## Tried elsewhere

- The operator is killed between writes, on real members, in eight episodes on both clusters: [a page of its own](crash.md); before every single write in the scripted world: [test/world](../test/world/crash.test.ts).
- The spec is edited before every write of an update, and at random: [test/edits](../test/edits) with real members (200 edits were tried on both clusters, a dozen with every change), [test/world](../test/world/walk.test.ts) 200 in the scripted world.
- All volumes are gone, and a backup that was tried takes their place; a backup that is broken takes nobody's: [loss.test.ts](../test/backup/loss.test.ts).
- Operators are killed, rolled back and upgraded while members serve: [test/upgrade](../test/upgrade/upgrade.test.ts).
- Cut off from the members, the operator waits with what it is asked for: [cut.test.ts](../test/stories/cut.test.ts).
- What an older operator wrote is taken over and worked on: [take-over.test.ts](../test/upgrade/take-over.test.ts).
- Every state of a small world: [test/model](../test/model/model.test.ts); something more breaks at every step of the work: [second-fault.test.ts](../test/model/second-fault.test.ts).

## Run it

\`npm test\` tries the greater part of the harms once on the embedded cluster and some on Kubernetes. All of them five times, on both, in
\`operators/etcd\`:

\`\`\`sh
npm run faults -- --repeats 5
\`\`\`

What was recorded before counts, whatever was tried least comes first, and this page is written anew at the end; \`--anew\` forgets what was
recorded. \`--on embedded\` or \`--on kubernetes\` keeps to one cluster, \`--minutes 30\` begins nothing after that time, \`--only "the leader"\` keeps
what matches that. \`--seed\` decides who is hit, how and when; it is in every failure's message.`;

/** The page for these results. */
export function toPage(results: readonly Recorded[]): string {
  const trials = results.filter((result) => result.kind === "trial");
  const refusals = results.filter((result) => result.kind === "refusal");
  const sections = [
    INTRODUCTION,
    circumstancesOf(results),
    toTable(trials),
    COLUMNS,
    RECOVERY,
    ...recoveryExample(trials),
    REFUSALS,
    refusalTable(refusals),
    DISPUTES,
    ELSEWHERE,
  ];
  return `${sections.join("\n\n")}\n`;
}

function circumstancesOf(results: readonly Recorded[]): string {
  const days = unique(results.map(({ at }) => at.slice(0, 10)));
  const commits = unique(results.map(({ commit }) => commit));
  const cores = unique(results.map((result) => String(result.cores)));
  const loads = results.map(({ load }) => load);
  const answers = results.reduce((sum, result) => sum + (result.kind === "trial" ? result.answers : 0), 0);
  return (
    `Measured on ${days.join(", ")} at ${commits.join(", ")}, on ${cores.join(" or ")} cores that others used, too (load ${Math.min(...loads)} ` +
    `to ${Math.max(...loads)}): take the seconds as upper bounds. ${answers} answers to clients were judged.`
  );
}

function toTable(trials: readonly RecordedTrial[]): string {
  const rows = plannedHarms(1).flatMap(({ harm }) =>
    (["embedded", "kubernetes"] as const).map((ground) => {
      const own = trials.filter((trial) => trial.harm === harm.name && trial.ground === ground);
      return toRow(harm.name, ground, own);
    }),
  );
  return [
    "| what was done | where | times | seconds to recover | longest without a write | acknowledged writes lost | hands |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function toRow(harm: string, ground: TrialResult["ground"], trials: readonly RecordedTrial[]): string {
  const where = ground === "embedded" ? "embedded" : "Kubernetes";
  if (trials.length === 0) return `| ${harm} | ${where} | 0 | not measured | | | |`;
  const recovered = spread(trials.map(({ seconds }) => seconds));
  const unwritten = spread(trials.map(({ secondsWithoutWrite }) => secondsWithoutWrite));
  const lost = trials.map((trial) => trial.lost);
  const loss = Math.max(...lost) === 0 ? "0" : `${lost.join(", ")}: only the lost had them`;
  const busy = trials.filter(({ operatorWas }) => operatorWas === "at work").length;
  const times = busy === 0 ? `${trials.length}` : `${trials.length}, ${busy} at work`;
  return `| ${harm} | ${where} | ${times} | ${recovered} | ${unwritten} | ${loss} | none |`;
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  const median = middle.reduce((sum, at) => sum + (sorted[at] ?? 0), 0) / 2;
  return `${median.toFixed(1)}, ${(sorted.at(-1) ?? 0).toFixed(1)}`;
}

function recoveryExample(trials: readonly RecordedTrial[]): readonly string[] {
  const told = trials.flatMap(({ recovery }) => recovery ?? []).at(-1);
  if (told === undefined) return [];
  return [
    `From one of the runs:\n\n\`\`\`yaml\nrecovery:\n  reason: ${told.reason}\n  mayBeLost: ${told.mayBeLost}\n\`\`\``,
  ];
}

function refusalTable(refusals: readonly RecordedRefusal[]): string {
  const rows = unique(refusals.map(({ name }) => name)).map((name) => {
    const own = refusals.filter((refusal) => refusal.name === name);
    return refusalRow(own[0], unique(own.map(({ ground }) => ground)));
  });
  return ["| what was done | where | what it says | mended by |", "|---|---|---|---|", ...rows].join("\n");
}

function refusalRow(refusal: RefusalResult | undefined, grounds: readonly string[]): string {
  return refusal === undefined
    ? ""
    : `| ${refusal.name} | ${grounds.join(", ")} | ${refusal.words} | ${refusal.mendedBy} |`;
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

/** Writes the page. */
export async function writePage(): Promise<void> {
  await writeFile(PAGE, toPage(parseResults(await readFile(RESULTS, "utf8"))));
}
