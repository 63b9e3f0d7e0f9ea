/** Terminals come from the node: `script` creates one for a program and passes its exit code on. Pure. */
import { quoted } from "./quoted.ts";

/** A command and its variables. */
export interface TerminalCommand {
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** The variables that describe the terminal to programs. */
export const terminalVariables: ReadonlyMap<string, string> = new Map([["TERM", "xterm"]]);

/** A whole command may exceed the kernel's limit for one string, which counts bytes and includes the name of the variable. */
const longestPart = 100_000;

/**
 * The command that runs another one on a terminal, with a size that a gate may have passed. The command is passed in variables, which are
 * unset once it is read. With an owner the terminal belongs to that user, which is needed to open it by name.
 */
export function withTerminal(argv: readonly string[], owner?: number): TerminalCommand {
  const parts = cut(argv.map(quoted).join(" "));
  const names = parts.map((_, index) => `TERMINAL${index}`);
  const sized = 'test -z "$GATE_WORD" || stty $GATE_WORD; unset GATE_WORD';
  const owned = owner === undefined ? "" : `chown ${owner} /proc/self/fd/0 2> /dev/null; `;
  const script = `${owned}${sized}; command="${names.map((name) => `$${name}`).join("")}"; unset ${names.join(" ")}; eval "exec $command"`;
  return {
    argv: ["/usr/bin/script", "-q", "-e", "-c", script, "/dev/null"],
    variables: Object.fromEntries(parts.map((part, index) => [names[index] ?? "", part])),
  };
}

/** Splits a text between characters. */
function cut(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = Math.min(start + longestPart, bytes.length);
    // Only the first byte of a character does not begin with the bits 10.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    parts.push(bytes.toString("utf8", start, end));
  }
  return parts;
}
