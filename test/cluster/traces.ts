/** What a cluster could leave on a machine, in a form that can be compared before and after. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** A process, with its start time: pids are used again. */
export interface Seen {
  readonly pid: number;
  readonly started: string;
  readonly command: string;
}

interface Stat {
  readonly parent: number;
  readonly seen: Seen;
}

/** A process and all its descendants. */
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

/** The processes that still exist. */
export function survivors(family: readonly Seen[]): readonly Seen[] {
  return family.filter(({ pid, started }) => readStat(pid).some(({ seen }) => seen.started === started));
}

function readStat(pid: number): readonly Stat[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie that waits for its parent counts as gone.
    if (fields[0] === "Z") return [];
    const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    return [{ parent: Number(fields[1]), seen: { pid, started: fields[19] ?? "", command } }];
  } catch {
    return [];
  }
}

/** What the kernel keeps for processes: namespaces with their mounts and interfaces, and cgroups. */
export interface Places {
  /** Namespaces that this test itself is not in. */
  readonly namespaces: readonly string[];
  /** The folders of cgroups. */
  readonly groups: readonly string[];
}

const kinds = ["mnt", "net", "pid", "user", "ipc", "uts"];

/** Namespaces and cgroups that only these processes have. */
export function placesOf(family: readonly Seen[]): Places {
  const own = new Set(namespacesOf("self"));
  const namespaces = family.flatMap(({ pid }) => namespacesOf(pid)).filter((one) => !own.has(one));
  const groups = family.flatMap(({ pid }) => groupsOf(pid)).filter((folder) => folder.includes("/capstan/"));
  return { namespaces: [...new Set(namespaces)], groups: [...new Set(groups)] };
}

/** Those that still exist: a namespace lives as long as a process is in it or has it mounted. */
export function placesLeft({ namespaces, groups }: Places): Places {
  const all = new Set(readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? namespacesOf(Number(name)) : [])));
  const mounted = readFileSync("/proc/self/mountinfo", "utf8");
  return {
    namespaces: namespaces.filter((one) => all.has(one) || mounted.includes(one)),
    groups: groups.filter((folder) => existsSync(folder)),
  };
}

function namespacesOf(pid: number | "self"): readonly string[] {
  return kinds.flatMap((kind) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
    } catch {
      return [];
    }
  });
}

/** Version 1 has a folder for each controller, version 2 one for all. */
function groupsOf(pid: number): readonly string[] {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, "utf8").trim().split("\n");
    return lines.map((line) => {
      const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      return join("/sys/fs/cgroup", controllers, path);
    });
  } catch {
    return [];
  }
}
