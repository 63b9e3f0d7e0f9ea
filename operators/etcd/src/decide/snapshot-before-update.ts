/** Before members go to another version their data is put where it can be had again, if there is a store for it. */
import type { Action, SnapshotState } from "../contract.ts";
import type { View } from "./view.ts";

/** How an update is secured: `unneeded` when nobody wants a backup or nobody could keep it. */
export function snapshotFor({ seen }: View, to: string): SnapshotState | { readonly is: "unneeded" | "absent" } {
  if (seen.desired.safeguard !== "backup") return { is: "unneeded" };
  return seen.snapshots[snapshotName(seen, to)] ?? { is: "absent" };
}

/** Asks for the backup, or waits for it while it is being made. */
export function takeSnapshot(view: View, to: string): Action | undefined {
  const { is } = snapshotFor(view, to);
  const why = `before members go to ${to}`;
  if (is === "absent") {
    return { do: "take-snapshot", name: snapshotName(view.seen, to), reason: "SnapshotBeforeUpdate", label: to, why };
  }
  return is === "making" ? { do: "wait", for: `a backup ${why}` } : undefined;
}

/** One for each step of each update: another generation of the spec is another attempt. */
function snapshotName({ name, desired }: View["seen"], to: string): string {
  return `${name}-before-${to}-${desired.generation}`;
}
