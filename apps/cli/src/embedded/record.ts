/** What is known on disk about a cluster that runs: enough to find it, to enter it and to end it, and nothing of a stranger. */
import { readFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";
import { clusterFolder, clustersFolder } from "./places.ts";

/** A process, told apart from a later one with the same number by the moment of its start. */
export interface ProcessMark {
  readonly pid: number;
  readonly started: string;
}

/** A cluster that was started. */
export interface ClusterRecord {
  readonly name: string;
  readonly process: ProcessMark;
  readonly url: string;
  readonly pods: "real" | "simulated";
  readonly nodes: number;
  readonly data: string | undefined;
  readonly startedAt: string;
  /** How its network is entered; undefined when its pods are simulated. */
  readonly network: { readonly process: ProcessMark; readonly names: string } | undefined;
}

/** The files of a cluster. */
export const files = {
  record: (folder: string) => join(folder, "record.json"),
  kubeconfig: (folder: string) => join(folder, "kubeconfig"),
  log: (folder: string) => join(folder, "log"),
  control: (folder: string) => join(folder, "control.sock"),
  state: (folder: string) => join(folder, "state"),
} as const;

/** Writes the record at once, never half. */
export async function writeRecord(folder: string, record: ClusterRecord): Promise<void> {
  const file = files.record(folder);
  await writeFile(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** The record of a cluster that runs; undefined when none of that name does. */
export async function findRecord(folder: string): Promise<ClusterRecord | undefined> {
  const text = await readFile(files.record(folder), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as ClusterRecord;
  return isAlive(record.process) ? record : undefined;
}

/** The clusters of this user that run. */
export async function listRecords(terminal: Terminal): Promise<readonly ClusterRecord[]> {
  const folder = clustersFolder(terminal);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => findRecord(join(folder, name))));
  return found.filter((record) => record !== undefined).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The cluster of a name, which must run. */
export async function needRecord(
  terminal: Terminal,
  name: string,
): Promise<ClusterRecord & { readonly folder: string }> {
  const folder = clusterFolder(terminal, name);
  const record = await findRecord(folder);
  if (record !== undefined) return { ...record, folder };
  const others = (await listRecords(terminal)).map((one) => one.name);
  const hint = others.length === 0 ? "capstan cluster start starts one" : `those that run: ${others.join(", ")}`;
  throw new CliError("Cluster", `the cluster ${JSON.stringify(name)} does not run; ${hint}`);
}

/** The mark of a process that runs. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: startOf(pid) ?? "" };
}

/** Whether a process still runs, and is the one that was marked. */
export function isAlive({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isSomebodys = error instanceof Error && "code" in error && error.code === "EPERM";
    if (!isSomebodys) return false;
  }
  return started === "" || startOf(pid) === started;
}

/** When a process was started, in the kernel's ticks; only Linux tells. A process that has ended and waits to be buried has no start. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
