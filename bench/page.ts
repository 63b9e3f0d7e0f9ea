/** Renders docs/performance.md and its plots from the stored results; it measures nothing. */
import { mkdirSync, writeFileSync } from "node:fs";
import { nodeFlags } from "@capstan/runtime";
import { judge, unmeasured } from "./ceilings.ts";
import { rowsOf } from "./growth.ts";
import { bars, curves } from "./page/svg.ts";
import { reasonFor } from "./page/reasons.ts";
import { table } from "./page/tables.ts";
import type { Results, Row } from "./result.ts";

const folder = "docs/performance";

interface Chapter {
  readonly suite: string;
  readonly title: string;
  readonly text: string;
  /** The contenders of the text: the page says which of them did not take part in the last run. */
  readonly contenders?: readonly string[];
}

const chapters: readonly Chapter[] = [
  {
    suite: "runtime",
    contenders: ["capstan", "controller-runtime", "controller-runtime-ryw", "kube-rs", "client-node"],
    title: "One controller, several frameworks",
    text: `The same controller, a Widget that applies one ConfigMap and sets its status, written with Capstan, with controller-runtime 0.25 (also
with its read-your-writes option, \`-ryw\`), with kube-rs 5 and with @kubernetes/client-node 2 and a queue by hand. All run on one real
kube-apiserver, sixteen turns at a time, one after the other, several rounds; a cell shows the median and the extremes. CPU is that of the
operator's process with all its threads. The sources are in [bench/runtime](../bench/runtime) and [bench/peers](../bench/peers).
Capstan runs as built JavaScript, with the flags for Node that its images have (\`${nodeFlags.join(" ")}\`); the others take their defaults.
Peers that no promise is about take part in the first round only.`,
  },
  {
    suite: "changes",
    title: "A thousand changes of one object",
    text: `The controllers of the chapter before, on one real kube-apiserver, with a hundred objects of which one changes a thousand times. One
after the other: the next change follows as soon as the ConfigMap has the value of the last. Without waiting: as fast as the API server takes
them, so that the operator skips values; a delay counts until the ConfigMap has this value or a later one.`,
  },
  {
    suite: "cache",
    title: "A large cache",
    text: "20,000 ConfigMaps of 1 KB that the operator watches: resident memory with them less that without, for each.",
  },
  {
    suite: "import",
    title: "Import",
    text: "A process that imports the package and ends, as a whole and less one that imports nothing; and the command that shows its help.",
  },
  {
    suite: "dev",
    title: "People who wait",
    text: `From an empty folder to the first reconcile: \`capstan init\`, \`capstan dev\` with its embedded cluster, an object, and what the controller
makes of it. Then a source is saved, five times a round: from there until the cluster has what the new code writes.`,
  },
  {
    suite: "queue",
    title: "Queue",
    text: "200,000 keys of 50 tenants in the queue, and fewer and more; every key that was done is added again, with a cause. CPU time of one thread.",
  },
  {
    suite: "client",
    title: "Client",
    text: "One small ConfigMap read again and again over one connection, sixteen at a time; CPU of the client's process.",
  },
  {
    suite: "apiserver",
    title: "The embedded API server",
    text: `Ours as a process beside kube-apiserver 1.36 with etcd. Latency of an event counts from the sending of the write until its last byte is
at the watcher. The load comes from one process on the same machine, that of the watchers from a fresh one each time, which counts bytes as they
come and decodes nothing; it is the same for both. While watchers are measured, only their own server runs.`,
  },
  {
    suite: "crowd",
    title: "A well-behaved client in bad company",
    text: `One client reads and writes a small ConfigMap every 10 ms; its latency alone on the server, and beside a crowd in a process of its own: 200
clients without any pause, each with an identity of its own, that list a thousand ConfigMaps, create large objects, send bodies that are not
JSON, and open watches and leave them; then 2,000 watches whose client does not read, while 50 objects a second are written. Only one server
runs at a time. A server without figures beside the watches had not started all of them after five minutes.`,
  },
  {
    suite: "cluster",
    title: "The embedded cluster",
    text: `Real pods from an image that was used before. The start is that of the built command, until a watch tells that the first pod is ready; beside it
the control plane and node of tools/kubernetes, whose programs are built. Memory and CPU are those of all processes of a cluster with one node and one pod. What the machine gives, each page once, is what the
promise (150 MB, which are 143 MiB) is about: two processes run one and the same Node, whose pages are there once. Pages that strangers share count as the cluster's
alone, so that a busy machine does not flatter. Beside it stands the sum of what each process has resident, as \`ps\` adds it up. The thousand
pods run nothing; the nodes are the same for both, the controllers and the scheduler have their default settings. A service is asked from where its pod is asked.`,
  },
];

/** Writes the page and the plots. */
export function writePage(results: Results): void {
  mkdirSync(folder, { recursive: true });
  const parts = chapters.flatMap((chapter) => {
    const rows = results.rows.filter(({ suite }) => suite === chapter.suite);
    if (rows.length === 0) return [];
    const text = [chapter.text, sourceOf(chapter, rows, results.commits?.[chapter.suite])].join("\n");
    return [`## ${chapter.title}\n\n${text}\n\n${table(rows)}`, ...plotsOf(rows)];
  });
  const page = [opening(results), losses(rowsOf(results)), ...parts, growthOf(results)].filter((part) => part !== "");
  writeFileSync("docs/performance.md", `${page.join("\n\n")}\n`);
}

/** The source of a chapter's figures, and the missing contenders. */
export function sourceOf(
  { contenders = [] }: Pick<Chapter, "contenders">,
  rows: readonly Row[],
  commit: string | undefined,
): string {
  const present = new Set(rows.flatMap(({ figures }) => Object.keys(figures)));
  const absent = contenders.filter((contender) => !present.has(contender));
  const missing = absent.length === 0 ? "" : ` **Did not take part in this run: ${absent.join(", ")}.**`;
  return `Measured at commit ${commit ?? "unknown"}.${missing}`;
}

function opening({ machine, busy = [] }: Results): string {
  const warning =
    busy.length === 0
      ? ""
      : `\n\n**The machine was busy with other work while ${busy.join(", ")} ran: times and latencies of these are too high, for Capstan and its peers.**`;
  const facts = Object.entries(machine).map(([fact, value]) => `${fact} ${value}`);
  return `# Performance

What we promise in numbers, and what was measured. \`npm run bench\` measures everything in turn, \`npm run bench -- runtime\` one suite;
results go to [performance/results.json](performance/results.json), and this page is made from them, not written. A promise that is not kept
makes the benchmark fail. Last run: ${facts.join(", ")}.${warning}`;
}

/** The losses of Capstan come before its wins. */
function losses(rows: readonly Row[]): string {
  const broken = judge(rows).filter(({ holds }) => !holds);
  const missing = unmeasured(rows).map((promise) => `- ${promise}: not measured`);
  if (broken.length + missing.length === 0) return "Every promise was kept in this run.";
  const lines = broken.map((verdict) => {
    const { row, figure, bound } = verdict;
    const unit = row.unit === "" ? "" : ` ${row.unit}`;
    const why = reasonFor(verdict, rows);
    const told = `- ${row.name}: ${Number(figure.toPrecision(3))}${unit}, promised ${Number(bound.toPrecision(3))}`;
    return why === undefined ? told : `${told}; ${why}`;
  });
  const lost = [...lines, ...missing].join("\n");
  return `## Where we do not keep our promises\n\n${lost}\n\nWhere the time goes, and which designs were tried: [speed](reference/speed.md).`;
}

const plotted = new Set(["burst, CPU per object", "burst, peak memory", "churn, CPU", "memory per 1 KB ConfigMap"]);

function plotsOf(rows: readonly Row[]): string[] {
  return rows
    .filter(({ name }) => plotted.has(name))
    .map((row) => plot(`${row.suite}-${row.name}`, row.name, bars(row)));
}

function growthOf(results: Results): string {
  const { growth } = results;
  if (growth.length === 0) return "## How cost grows\n\nNot measured in this run: `npm run bench -- scale` does.";
  const plots = growth.map((each) => plot(`growth-${each.name}`, each.name, curves(each)));
  const rows = rowsOf(results).filter(({ suite }) => suite === "scale");
  return `## How cost grows

A straight line means that an object costs the same however many there are: one of the last stretch, between the two largest numbers that
were tried, costs as much as one before. ${sourceOf({}, rows, results.commits?.["scale"])}

${[table(rows), ...plots].join("\n\n")}`;
}

function plot(name: string, title: string, svg: string): string {
  const file = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")}.svg`;
  writeFileSync(`${folder}/${file}`, svg);
  return `![${title}](performance/${file})`;
}
