/** What a cluster could leave on a machine, in a form that two moments can be compared by. */
import { readdirSync, readFileSync } from "node:fs";

/** A process, told apart from later ones with the same number. */
export interface Seen {
  readonly pid: number;
  readonly started: string;
  readonly command: string;
}

interface Stat {
  readonly parent: number;
  readonly seen: Seen;
}

/** All that came from a process, itself included. */
export function familyOf(pid: number): readonly Seen[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const family: Seen[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const current = next;
    family.push(...all.filter(({ seen }) => seen.pid === current).map(({ seen }) => seen));
    queue.push(...all.filter(({ parent }) => parent === current).map(({ seen }) => seen.pid));
  }
  return family;
}

/** Those of the processes that are still there. */
export function survivors(family: readonly Seen[]): readonly Seen[] {
  return family.filter(({ pid, started }) => readStat(pid).some(({ seen }) => seen.started === started));
}

function readStat(pid: number): readonly Stat[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Whoever has ended and waits to be buried by a parent that is no business of ours is gone.
    if (fields[0] === "Z") return [];
    const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    return [{ parent: Number(fields[1]), seen: { pid, started: fields[19] ?? "", command } }];
  } catch {
    return [];
  }
}

/** Mounts that mention a folder, and the interfaces, of the namespaces of this test. */
export function placesOf(folder: string): {
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
} {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(folder));
  return { mounts, interfaces: readdirSync("/sys/class/net").filter((name) => /^v[0-9a-f]{8,}/.test(name)) };
}
