/** A gate before a program: cgroups and similar settings are applied while it waits, so that its children inherit them. */
import type { Readable, Writable } from "node:stream";

/** A command that waits at file descriptor 3 before it executes another one, which finds the line that opened the gate in a variable. */
export function waitAtGate(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'read -r GATE_WORD <&3; export GATE_WORD; exec 3<&-; exec "$@"', "sh", ...argv];
}

/** Releases a process that waits for a byte or a line. */
export function openGate(gate: Readable | Writable | null | undefined, word = ""): void {
  if (gate === null || gate === undefined || !("write" in gate)) return;
  gate.on("error", () => {});
  gate.end(`${word}\n`);
}
