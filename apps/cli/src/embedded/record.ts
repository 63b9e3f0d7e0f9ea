/** The record on disk of a running cluster: enough to find, enter and stop it. Records of dead processes are ignored. */
import { readFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";
import { clusterFolder, clustersFolder } from "./places.ts";

/** A process. The start time distinguishes it from a later process with the same PID. */
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
  /** How to enter its network; undefined for simulated pods. */
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

/** Writes the record atomically. */
export async function writeRecord(folder: string, record: ClusterRecord): Promise<void> {
  const file = files.record(folder);
  await writeFile(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** The record of a running cluster; undefined if no cluster of that name runs. */
export async function findRecord(folder: string): Promise<ClusterRecord | undefined> {
  const text = await readFile(files.record(folder), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as ClusterRecord;
  return isAlive(record.process) ? record : undefined;
}

/** The running clusters of this user. */
export async function listRecords(terminal: Terminal): Promise<readonly ClusterRecord[]> {
  const folder = clustersFolder(terminal);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => findRecord(join(folder, name))));
  return found.filter((record) => record !== undefined).toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The record of a cluster; fails if it does not run. */
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

/** The mark of a running process. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: startOf(pid) ?? "" };
}

/** Whether the marked process still runs. */
export function isAlive({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isSomebodys = error instanceof Error && "code" in error && error.code === "EPERM";
    if (!isSomebodys) return false;
  }
  return started === "" || startOf(pid) === started;
}

/** The start time of a process in kernel ticks, on Linux only. A zombie has none. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
