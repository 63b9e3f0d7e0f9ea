/** Polls for a condition. */
import { setTimeout as wait } from "node:timers/promises";

/** Resolves with the first result that is not undefined or false; fails with a message after a timeout. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  patience = 300_000,
): Promise<T> {
  const end = performance.now() + patience;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`waited ${patience / 1000} s in vain until ${what}`);
    await wait(50);
  }
}
