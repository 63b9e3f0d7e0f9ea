/** Work in parallel and waiting for a condition, for all suites. */
import { setTimeout as sleep } from "node:timers/promises";
import type { MeasuredProcess } from "./measured-process.ts";

/** Runs a function `count` times, a limited number in parallel. */
export async function inParallel(count: number, run: (at: number) => Promise<unknown>, inFlight = 16): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let at = next++; at < count; at = next++) await run(at);
    }),
  );
}

/** Polls until the condition holds; fails after ten minutes. */
export async function until(condition: () => Promise<boolean>, every = 100): Promise<void> {
  const end = performance.now() + 600_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new RangeError("waited ten minutes for something that did not happen");
    await sleep(every);
  }
}

/** Runs a function with a time limit; disposes the resources on the stack in any case. */
export async function within(
  minutes: number,
  what: string,
  run: (started: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  await using started = new AsyncDisposableStack();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new RangeError(`${what} took more than ${minutes} minutes`)),
    minutes * 60_000,
  );
  try {
    await Promise.race([run(started), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a program has used almost no CPU for three seconds: its reconciles are done. */
export async function untilQuiet(program: MeasuredProcess): Promise<void> {
  let last = 0;
  let quietLooks = 0;
  await until(async () => {
    const { cpuSeconds } = program.cost();
    quietLooks = cpuSeconds - last < 0.02 ? quietLooks + 1 : 0;
    last = cpuSeconds;
    return quietLooks === 3;
  }, 1000);
}

/** Runs an endless function, again whenever it ends, until the signal is aborted. */
export async function again(run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await run().catch(() => undefined);
    await sleep(10);
  }
}
