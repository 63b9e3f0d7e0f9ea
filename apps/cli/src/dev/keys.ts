/** Single keys, where somebody sits at the terminal. */
import type { Terminal } from "../terminal.ts";

const INTERRUPT = "\u0003";

/** Calls the function of each key that is pressed. */
export function watchKeys({ isInteractive }: Terminal, keys: { readonly [key: string]: () => void }): Disposable {
  if (!isInteractive) return { [Symbol.dispose]: () => {} };
  const { stdin } = process;
  const pressed = (data: Buffer): void => {
    const key = data.toString("utf8");
    if (key === INTERRUPT) process.kill(process.pid, "SIGINT");
    else keys[key.toLowerCase()]?.();
  };
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on("data", pressed);
  return {
    [Symbol.dispose]: () => {
      stdin.off("data", pressed);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
