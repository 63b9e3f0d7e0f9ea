/** Wakes objects for what happens outside the cluster: a stream of keys, a timer, a schedule. */
import { Cron } from "croner";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { checkedDuration } from "../checked.ts";
import { madeFor } from "../errors.ts";
import type { Duration } from "../errors.ts";
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

/** More often, nobody would do anything else. */
const LEAST_PERIOD = 100;

/** Every so often, every object: `timer("look", "5m")`. */
export function timer(name: string, every: Duration): Source {
  const period = madeFor(timer, () => checkedDuration(every, `period of timer "${name}"`, LEAST_PERIOD));
  return { type: "timer", name, every: period };
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
      return await runStream(source, { clock, signal, wake });
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

/** After so many keys others are heard: a stream that never waits would keep timers and probes waiting. */
const BREATH = 1_000;

async function runStream(
  { name, open }: Extract<Source, { readonly type: "stream" }>,
  { clock, signal, wake }: Pick<SourceOptions, "clock" | "signal" | "wake">,
): Promise<void> {
  let keys = 0;
  for await (const key of open(signal)) {
    wake(key, { cause: outsideCause("source", name) });
    if (++keys % BREATH === 0) await sleep(clock, 0, signal);
  }
  await sleep(clock, STREAM_REST, signal);
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
