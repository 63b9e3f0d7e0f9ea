/** Takes a safeguard snapshot before members go to another version, if the spec names a store. */
import type { Action, SnapshotState } from "./contract.ts";
import type { View } from "./view.ts";

/** The state of the safeguard snapshot. `unneeded`: not requested, or no store for it. */
export function snapshotFor({ seen }: View, to: string): SnapshotState | { readonly is: "unneeded" | "absent" } {
  if (seen.desired.safeguard !== "backup") return { is: "unneeded" };
  return seen.snapshots[snapshotName(seen, to)] ?? { is: "absent" };
}

/** Requests the backup, or waits for it. */
export function takeSnapshot(view: View, to: string): Action | undefined {
  const { is } = snapshotFor(view, to);
  const why = `before members go to ${to}`;
  if (is === "absent") {
    return { do: "take-snapshot", name: snapshotName(view.seen, to), reason: "SnapshotBeforeUpdate", label: to, why };
  }
  return is === "making" ? { do: "wait", for: `a backup ${why}` } : undefined;
}

/** One snapshot for each step of each update. Another generation of the spec is another attempt. */
function snapshotName({ name, desired }: View["seen"], to: string): string {
  return `${name}-before-${to}-${desired.generation}`;
}
