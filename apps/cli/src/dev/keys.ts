/** Reads single keys from an interactive terminal. */
import type { Terminal } from "../terminal.ts";

const INTERRUPT = "\u0003";

/** The escape sequences of keys that are not letters. */
const names: { readonly [sent: string]: string } = {
  "\u001B[A": "up",
  "\u001BOA": "up",
  "\u001B[B": "down",
  "\u001BOB": "down",
};

/** Splits one chunk of terminal input into keys; fast typing gives several. */
export function readKeys(sent: string): readonly string[] {
  const parts = sent.match(/\u001B[[O][\d;]*[A-Za-z~]|[^]/gu) ?? [];
  return parts.map((part) => names[part] ?? part.toLowerCase());
}

/** Calls back for each pressed key: a letter, `up` or `down`. */
export function watchKeys({ isInteractive }: Terminal, pressed: (key: string) => void): Disposable {
  if (!isInteractive) return { [Symbol.dispose]: () => {} };
  const { stdin } = process;
  const read = (data: Buffer): void => {
    for (const key of readKeys(data.toString("utf8"))) {
      if (key === INTERRUPT) process.kill(process.pid, "SIGINT");
      else pressed(key);
    }
  };
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on("data", read);
  return {
    [Symbol.dispose]: () => {
      stdin.off("data", read);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
