/** Lets nobody write through a mount of a folder or a file. Pure. */
import { quoted } from "./quoted.ts";

/** What else a mount may have been told, which it must not lose. */
const others = ["", ",nosuid", ",nodev", ",nosuid,nodev", ",nosuid,nodev,noexec"];

/** A line of a shell's script; where the machine refuses it, everything stays as it was. */
export function makeReadOnly(path: string): string {
  const tries = others.map((flags) => `mount -o remount,bind,ro${flags} ${quoted(path)} 2>/dev/null`);
  return `${tries.join(" || ")} || true`;
}
