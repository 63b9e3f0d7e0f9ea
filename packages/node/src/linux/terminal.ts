/** Terminals are lent by the node: `script` makes one for a program and passes on its exit code. Pure. */
import { quoted } from "./quoted.ts";

/** The command that runs another one on a terminal. */
export function withTerminal(argv: readonly string[]): readonly string[] {
  return ["/usr/bin/script", "-q", "-e", "-c", `exec ${argv.map(quoted).join(" ")}`, "/dev/null"];
}
