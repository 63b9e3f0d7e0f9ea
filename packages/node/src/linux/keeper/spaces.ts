/**
 * The namespaces of a container as they were before its program began. A program may leave them for others of its own making, in which it
 * decides what is where; whoever comes in later has all rights at first and must find the container as the node made it.
 */
import { closeSync, openSync } from "node:fs";

/** Held open: they stay what they are, whatever becomes of the process. */
export interface Spaces {
  readonly mounts: number;
  readonly processes: number;
}

/** Holds on to the namespaces of a process; of one that has ended there are none. */
export function holdSpaces(pid: number): Spaces | undefined {
  return openBoth(`/proc/${pid}/ns/mnt`, `/proc/${pid}/ns/pid`);
}

/** The same once more, for somebody who may need them longer. */
export function shareSpaces({ mounts, processes }: Spaces): Spaces | undefined {
  return openBoth(`/proc/self/fd/${mounts}`, `/proc/self/fd/${processes}`);
}

function openBoth(mountsPath: string, processesPath: string): Spaces | undefined {
  let mounts: number | undefined;
  try {
    mounts = openSync(mountsPath, "r");
    return { mounts, processes: openSync(processesPath, "r") };
  } catch {
    if (mounts !== undefined) closeSync(mounts);
    return undefined;
  }
}

/** Lets them go. */
export function releaseSpaces({ mounts, processes }: Spaces): void {
  closeSync(mounts);
  closeSync(processes);
}

/** The options with which `nsenter`, as a child of this process, goes there. */
export function enterOptions({ mounts, processes }: Spaces): readonly string[] {
  const own = `/proc/${process.pid}/fd`;
  return [`--mount=${own}/${mounts}`, `--pid=${own}/${processes}`];
}
