/**
 * The namespaces of a container as they were before its program began. A program may switch to namespaces that it controls; a process
 * that enters later has all rights at first and must find the container as the node made it.
 */
import { closeSync, openSync } from "node:fs";

/** Open file descriptors: the namespaces stay the same, whatever happens to the process. */
export type Spaces = { readonly [name in SpaceName]: number };

/** Those that a container shares with its pod: they outlive the process that held them for the pod. */
const podsSpaces = ["net", "uts", "ipc"] as const;
const ownSpaces = ["mnt", "pid"] as const;
type SpaceName = (typeof podsSpaces)[number] | (typeof ownSpaces)[number];

/** Opens the namespaces of a process; `undefined` if it has ended. */
export function holdSpaces(pid: number): Spaces | undefined {
  return openAll((name) => `/proc/${pid}/ns/${name}`);
}

/** Opens them again, for a user that may need them longer. */
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

export function releaseSpaces(spaces: Spaces): void {
  for (const file of Object.values(spaces)) closeSync(file);
}

/** The options with which `nsenter`, as a child of this process, enters them: first the pod's, then the container's. */
export function enterOptions(spaces: Spaces): { readonly pod: readonly string[]; readonly own: readonly string[] } {
  const option = (name: SpaceName): string =>
    `--${name === "mnt" ? "mount" : name}=/proc/${process.pid}/fd/${spaces[name]}`;
  return { pod: podsSpaces.map(option), own: ownSpaces.map(option) };
}
