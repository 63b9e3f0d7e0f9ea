/** Before members go to another version their data is put where it can be had again, if there is a store for it. */
import type { Action, Safeguard } from "../contract.ts";
import type { View } from "./view.ts";

/** How an update is secured: `unneeded` when nobody wants a backup or nobody could keep it. */
export function guardOf({ seen }: View, to: string): Safeguard | { readonly is: "unneeded" | "absent" } {
  if (seen.wanted.safeguard !== "backup") return { is: "unneeded" };
  return seen.safeguards[guardName(seen, to)] ?? { is: "absent" };
}

/** Asks for the backup, or waits for it while it is being made. */
export function takeSnapshot(view: View, to: string): Action | undefined {
  const { is } = guardOf(view, to);
  const why = `before members go to ${to}`;
  if (is === "absent") {
    return { do: "take-snapshot", name: guardName(view.seen, to), reason: "SnapshotBeforeUpdate", label: to, why };
  }
  return is === "making" ? { do: "wait", for: `a backup ${why}` } : undefined;
}

/** One for each step of each update: another generation of the spec is another attempt. */
function guardName({ name, wanted }: View["seen"], to: string): string {
  return `${name}-before-${to}-${wanted.generation}`;
}
