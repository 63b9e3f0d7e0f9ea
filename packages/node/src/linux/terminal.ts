/** Terminals are lent by the node: `script` makes one for a program and passes on its exit code. Pure. */
import { quoted } from "./quoted.ts";

/** A command, and the variables that it needs. */
export interface TerminalCommand {
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What programs ask to know how to speak to the terminal that they have. */
export const terminalVariables: ReadonlyMap<string, string> = new Map([["TERM", "xterm"]]);

/** As one word, all of a command might be more than the kernel takes, which counts bytes, the name of its variable included. */
const longestPart = 100_000;

/**
 * The command that runs another one on a terminal, of a size that a gate may have told. It comes in variables, which are gone once it is read.
 * With an owner the terminal is that user's, who may open it by its name only then.
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

/** Cuts a text between characters: half of one would be none. */
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
