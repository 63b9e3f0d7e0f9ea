/**
 * Finds and ends the processes of a cluster by a mark in their environment. Recorded pids would be unsafe: a pid can be reused, and
 * cannot be recorded atomically with the start of its process.
 */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const MARK = "CAPSTAN_KUBERNETES_PROCESS";

/** A process of a cluster: which part it plays and its pid as this machine counts. */
export interface ClusterProcess {
  readonly pid: number;
  readonly component: string;
}

/** The environment variable that makes a process (and what it starts) belong to the cluster in that folder. */
export function processMark(folder: string, component: string): Record<string, string> {
  return { [MARK]: `${folder}#${component}` };
}

/** All processes that carry the cluster's mark, except the caller. Wrappers that only wait for their child are marked too. */
export function findProcesses(folder: string): ClusterProcess[] {
  const prefix = `${MARK}=${folder}#`;
  return allPids().flatMap((pid) => {
    if (pid === process.pid || isZombie(pid)) return [];
    const mark = readProcess(pid, "environ")
      ?.split("\0")
      .find((entry) => entry.startsWith(prefix));
    return mark === undefined ? [] : [{ pid, component: mark.slice(prefix.length) }];
  });
}

/** Programs that wait for or watch over the process that plays the part. */
const COMPANIONS: ReadonlySet<string | undefined> = new Set(["nsenter", "unshare", "containerd-shim"]);

/** The processes that play a part themselves, one a component. */
export function findComponents(folder: string): ClusterProcess[] {
  return findProcesses(folder).filter(({ pid }) => !COMPANIONS.has(readProcess(pid, "comm")?.trim()));
}

/** All processes in the same network namespace as the given one. */
export function findNetworkNeighbours(pid: number): number[] {
  const namespace = networkNamespace(pid);
  if (namespace === undefined || namespace === networkNamespace(process.pid)) return [];
  return allPids().filter((other) => networkNamespace(other) === namespace);
}

/** Ends the processes at once and waits until they are gone. */
export async function endProcesses(pids: readonly number[]): Promise<void> {
  const births = new Map(pids.map((pid) => [pid, processBirth(pid)]));
  for (const pid of pids) kill(pid);
  const remain = (): boolean =>
    births.entries().some(([pid, born]) => born !== undefined && processBirth(pid) === born);
  while (remain()) await delay(10);
}

/** When a process was born, in a form that no later process with the same pid repeats; undefined when it is gone. */
export function processBirth(pid: number): string | undefined {
  const fields = statFields(pid);
  if (fields === undefined || fields[0] === "Z" || fields[0] === "X") return undefined;
  return fields[19];
}

function isZombie(pid: number): boolean {
  return processBirth(pid) === undefined;
}

/** The fields of /proc/pid/stat after the name, which may itself hold blanks and brackets. */
function statFields(pid: number): string[] | undefined {
  const stat = readProcess(pid, "stat");
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function allPids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function networkNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended on its own: that is what was wanted.
  }
}
