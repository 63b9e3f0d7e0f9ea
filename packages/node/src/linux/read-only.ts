/** Makes a mount of a folder or a file read-only. Pure. */
import { quoted } from "./quoted.ts";

/** Other flags that the mount may have, which a remount must keep. */
const others = ["", ",nosuid", ",nodev", ",nosuid,nodev", ",nosuid,nodev,noexec"];

/** A line of a shell script; if the kernel rejects it, the mount stays as it is. */
export function makeReadOnly(path: string): string {
  const tries = others.map((flags) => `mount -o remount,bind,ro${flags} ${quoted(path)} 2>/dev/null`);
  return `${tries.join(" || ")} || true`;
}
