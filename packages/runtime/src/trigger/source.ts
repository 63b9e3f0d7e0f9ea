/** Triggers objects from outside the cluster: by a period, a cron expression, a stream of keys. */
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { checkedDuration } from "../queue/checked.ts";
import { madeFor, RuntimeError } from "../errors.ts";
import type { Duration } from "../errors.ts";
import { messageOf } from "../failure.ts";
import { cronSchedule } from "./cron.ts";
import { outsideTrigger } from "./reconcile-trigger.ts";
import type { Enqueue } from "./event-handler.ts";

/**
 * A source of triggers from outside the cluster. Created by `every`, `cron` and `stream`.
 *
 * @example
 * const sources: readonly Source[] = [every("10m"), cron("0 3 * * *")];
 * controller(Memcached, { sources }, () => undefined);
 */
export type Source =
  | { readonly type: "stream"; readonly name: string; readonly open: (signal: AbortSignal) => AsyncIterable<string> }
  | { readonly type: "every"; readonly name: string; readonly period: number }
  | { readonly type: "cron"; readonly name: string; readonly cron: string; readonly timeZone?: string | undefined };

/**
 * Options of every source.
 *
 * @example
 * const options: SourceOptions = { name: "check the provider" };
 * every("10m", options);
 */
export interface SourceOptions {
  /** Its name in logs and in `capstan explain`. */
  readonly name?: string | undefined;
}

/**
 * Options of a cron source.
 *
 * @example
 * const options: CronOptions = { timeZone: "UTC", name: "nightly" };
 * cron("0 3 * * *", options);
 */
export interface CronOptions extends SourceOptions {
  /** The time zone of the expression, such as `Europe/Berlin`. Default: that of the process. */
  readonly timeZone?: string | undefined;
}

/**
 * Reconciles the objects with the keys (`namespace/name`) that arrive: from a message queue, a poll, another API. A stream that ends is
 * opened again.
 *
 * @example
 * const orders = async function* (signal: AbortSignal) {
 *   while (!signal.aborted) yield "default/cache";
 * };
 * controller(Memcached, { sources: [stream(orders, { name: "orders" })] }, () => undefined);
 */
export function stream(
  open: (signal: AbortSignal) => AsyncIterable<string>,
  { name = "stream" }: SourceOptions = {},
): Source {
  return { type: "stream", name, open };
}

/** The shortest period, in milliseconds: a shorter one would starve everything else. */
const LEAST_PERIOD = 100;

/**
 * Reconciles every object of the controller once in a period: `every("10m")`.
 *
 * @example
 * controller(Memcached, { sources: [every("10m")] }, () => undefined);
 */
export function every(period: Duration, { name = `every ${period}` }: SourceOptions = {}): Source {
  return {
    type: "every",
    name,
    period: madeFor(every, () => checkedDuration(period, "period of `every`", LEAST_PERIOD)),
  };
}

/**
 * Reconciles every object of the controller at the times of a cron expression: `cron("0 3 * * *", { timeZone: "UTC" })`.
 *
 * @example
 * controller(Memcached, { sources: [cron("0 3 * * *", { timeZone: "Europe/Berlin" })] }, () => undefined);
 */
export function cron(expression: string, { timeZone, name = expression }: CronOptions = {}): Source {
  return madeFor(cron, () => {
    // An invalid expression fails where it is declared, not at its first run.
    mustBeCron({ cron: expression, timeZone });
    return { type: "cron", name, cron: expression, timeZone };
  });
}

function mustBeCron(source: { readonly cron: string; readonly timeZone: string | undefined }): void {
  try {
    void cronSchedule(source.cron, source.timeZone).next(0);
  } catch (cause) {
    const zone = source.timeZone === undefined ? "" : ` in the time zone "${source.timeZone}"`;
    throw new RuntimeError(
      "BadSetting",
      `Cannot use the cron expression "${source.cron}"${zone}: ${messageOf(cause)}`,
      { cause },
    );
  }
}

export interface SourceTools {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly enqueue: Enqueue;
  readonly keys: () => Iterable<string>;
  readonly onError: (error: unknown) => void;
}

/** The delay before a broken stream is opened again, in milliseconds. */
const streamRetryDelay = 5_000;

/** Runs a source until the signal is aborted. */
export async function runSource(source: Source, options: SourceTools): Promise<void> {
  while (!options.signal.aborted) {
    try {
      await runOnce(source, options);
    } catch (error) {
      if (options.signal.aborted) return;
      options.onError(error);
      await sleep(options.clock, streamRetryDelay, options.signal).catch(() => undefined);
    }
  }
}

async function runOnce(source: Source, { clock, signal, enqueue, keys }: SourceTools): Promise<void> {
  switch (source.type) {
    case "stream":
      return await runStream(source, { clock, signal, enqueue });
    case "every":
      await sleep(clock, source.period, signal);
      break;
    case "cron":
      await untilTime(cronSchedule(source.cron, source.timeZone).next(clock.wall()) ?? Infinity, clock, signal);
      break;
  }
  const trigger = outsideTrigger("schedule", source.name);
  for (const key of keys()) enqueue(key, { trigger });
}

/** The number of keys after which the event loop gets time: a stream that never waits would block timers and probes. */
const yieldEvery = 1_000;

async function runStream(
  { name, open }: Extract<Source, { readonly type: "stream" }>,
  { clock, signal, enqueue }: Pick<SourceTools, "clock" | "signal" | "enqueue">,
): Promise<void> {
  let keys = 0;
  for await (const key of open(signal)) {
    enqueue(key, { trigger: outsideTrigger("source", name) });
    if (++keys % yieldEvery === 0) await sleep(clock, 0, signal);
  }
  await sleep(clock, streamRetryDelay, signal);
}

/** The wall clock may jump: it is read again every minute. */
const clockCheckInterval = 60_000;

async function untilTime(time: number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let left = time - clock.wall(); left > 0; left = time - clock.wall()) {
    await sleep(clock, Math.min(left, clockCheckInterval), signal);
  }
}
