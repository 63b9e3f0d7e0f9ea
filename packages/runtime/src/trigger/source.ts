/** Wakes objects for what happens outside the cluster: a stream of keys, a timer, a schedule. */
import { Cron } from "croner";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { outsideCause } from "./cause.ts";
import type { Wake } from "./trigger.ts";

/** A source of wake-ups. Keys are `namespace/name`; `"all"` wakes every object of the controller. */
export type Source =
  | { readonly type: "stream"; readonly name: string; readonly open: (signal: AbortSignal) => AsyncIterable<string> }
  | { readonly type: "timer"; readonly name: string; readonly every: number }
  | { readonly type: "schedule"; readonly name: string; readonly cron: string; readonly timeZone?: string | undefined };

/** Keys that arrive from outside: a message queue, a poll, another API. */
export function stream(name: string, open: (signal: AbortSignal) => AsyncIterable<string>): Source {
  return { type: "stream", name, open };
}

/** Every so many milliseconds, every object. */
export function timer(name: string, every: number): Source {
  return { type: "timer", name, every };
}

/** At the times of a cron expression, every object. */
export function schedule(name: string, cron: string, timeZone?: string): Source {
  // A wrong expression is found here, where it is written, and not at the first midnight.
  void nextTime({ cron, timeZone }, 0);
  return { type: "schedule", name, cron, timeZone };
}

/** What a source works with. */
export interface SourceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly wake: Wake;
  readonly keys: () => Iterable<string>;
  readonly onError: (error: unknown) => void;
}

/** How long a stream that broke rests before it is opened again. */
const STREAM_REST = 5_000;

/** Runs a source until the signal is aborted. */
export async function runSource(source: Source, options: SourceOptions): Promise<void> {
  while (!options.signal.aborted) {
    try {
      await runOnce(source, options);
    } catch (error) {
      if (options.signal.aborted) return;
      options.onError(error);
      await sleep(options.clock, STREAM_REST, options.signal).catch(() => undefined);
    }
  }
}

async function runOnce(source: Source, { clock, signal, wake, keys }: SourceOptions): Promise<void> {
  switch (source.type) {
    case "stream":
      for await (const key of source.open(signal)) wake(key, { cause: outsideCause("source", source.name) });
      return await sleep(clock, STREAM_REST, signal);
    case "timer":
      await sleep(clock, source.every, signal);
      break;
    case "schedule":
      await untilTime(nextTime(source, clock.wall()), clock, signal);
      break;
  }
  const cause = outsideCause("schedule", source.name);
  for (const key of keys()) wake(key, { cause });
}

/** The calendar may jump: it is looked at again every minute. */
const LOOK_AGAIN = 60_000;

async function untilTime(time: number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let left = time - clock.wall(); left > 0; left = time - clock.wall()) {
    await sleep(clock, Math.min(left, LOOK_AGAIN), signal);
  }
}

function nextTime({ cron, timeZone }: { cron: string; timeZone?: string | undefined }, after: number): number {
  const pattern = new Cron(cron, timeZone === undefined ? {} : { timezone: timeZone });
  return pattern.nextRun(new Date(after))?.getTime() ?? Infinity;
}
