/** Says what is going on when something takes longer than a second. */
import type { Terminal } from "../terminal.ts";
import { styleOf } from "./style.ts";

const PATIENCE = 1_000;

/** Does the work; after a second of it, says so, and again every five seconds with the time it took. */
export async function withProgress<T>(terminal: Terminal, doing: string, work: () => Promise<T>): Promise<T> {
  const { dim } = styleOf(terminal);
  const began = performance.now();
  const say = (): void => terminal.err(dim(`${doing} … ${Math.round((performance.now() - began) / 1000)} s\n`));
  let every: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    say();
    every = setInterval(say, 5_000);
  }, PATIENCE);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(every);
  }
}
