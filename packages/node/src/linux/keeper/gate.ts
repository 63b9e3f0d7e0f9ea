/** A gate before a program: what belongs to it is settled while it waits, and so holds for whatever it starts. */
import type { Readable, Writable } from "node:stream";

/** The command that waits at file descriptor 3 before it becomes another, which finds the word that it was let go with in a variable. */
export function behindGate(argv: readonly string[]): readonly string[] {
  return ["/bin/sh", "-c", 'read -r GATE_WORD <&3; export GATE_WORD; exec 3<&-; exec "$@"', "sh", ...argv];
}

/** Lets a process go on that waits for a byte or for a line. */
export function openGate(gate: Readable | Writable | null | undefined, word = ""): void {
  if (gate === null || gate === undefined || !("write" in gate)) return;
  gate.on("error", () => {});
  gate.end(`${word}\n`);
}
