/** Waits until something holds, or until the time is over. */
import { CliError } from "../errors.ts";

const LOOK = 500;

/** What is waited for. */
export interface Wait<T> {
  readonly holds: (seen: T) => boolean;
  readonly seconds: number;
}

/** The first value that holds, or the last one that was seen. */
export async function until<T>(look: () => Promise<T>, { holds, seconds }: Wait<T>): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (holds(seen) || performance.now() > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** The number of an option such as `--timeout`. */
export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new CliError("Usage", `--timeout must be a number of seconds, not ${JSON.stringify(text)}`);
}
