/** Kernel files that container runtimes mask: memory, keys and timers of the machine. */
import { stat } from "node:fs/promises";
import type { MaskedPlace } from "./launch.ts";

/** The paths that runtimes agree on. */
const places = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
];

/** Those that exist on this machine: a missing path cannot be masked. */
export async function findMasked(): Promise<readonly MaskedPlace[]> {
  const found = await Promise.all(
    places.map((path) =>
      stat(path).then(
        (info) => [{ path, isFolder: info.isDirectory() }],
        () => [],
      ),
    ),
  );
  return found.flat();
}
