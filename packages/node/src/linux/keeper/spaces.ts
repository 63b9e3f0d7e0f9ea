/**
 * The namespaces of a container as they were before its program began. A program may leave them for others of its own making, in which it
 * decides what is where; whoever comes in later has all rights at first and must find the container as the node made it.
 */
import { closeSync, openSync } from "node:fs";

/** Held open: they stay what they are, whatever becomes of the process. */
export type Spaces = { readonly [name in SpaceName]: number };

/** Those that a container shares with its pod: they outlive the process that held them for the pod. */
const podsSpaces = ["net", "uts", "ipc"] as const;
const ownSpaces = ["mnt", "pid"] as const;
type SpaceName = (typeof podsSpaces)[number] | (typeof ownSpaces)[number];

/** Holds on to the namespaces of a process; of one that has ended there are none. */
export function holdSpaces(pid: number): Spaces | undefined {
  return openAll((name) => `/proc/${pid}/ns/${name}`);
}

/** The same once more, for somebody who may need them longer. */
export function shareSpaces(spaces: Spaces): Spaces | undefined {
  return openAll((name) => `/proc/self/fd/${spaces[name]}`);
}

function openAll(pathOf: (name: SpaceName) => string): Spaces | undefined {
  const opened: number[] = [];
  const open = (name: SpaceName): number => {
    const file = openSync(pathOf(name), "r");
    opened.push(file);
    return file;
  };
  try {
    return { net: open("net"), uts: open("uts"), ipc: open("ipc"), mnt: open("mnt"), pid: open("pid") };
  } catch {
    for (const file of opened) closeSync(file);
    return undefined;
  }
}

/** Lets them go. */
export function releaseSpaces(spaces: Spaces): void {
  for (const file of Object.values(spaces)) closeSync(file);
}

/** The options with which `nsenter`, as a child of this process, goes there: first to the pod, then to the container. */
export function enterOptions(spaces: Spaces): { readonly pod: readonly string[]; readonly own: readonly string[] } {
  const option = (name: SpaceName): string =>
    `--${name === "mnt" ? "mount" : name}=/proc/${process.pid}/fd/${spaces[name]}`;
  return { pod: podsSpaces.map(option), own: ownSpaces.map(option) };
}
