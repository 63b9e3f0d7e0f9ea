/** `record`: counts what an operator did, once per id, whatever is retried. */
import { defaultSink } from "./main.ts";
import type { EventMeter } from "./meter.ts";

/**
 * What is known of a record beside its amount.
 *
 * @example
 * const options: RecordOptions = { id: "backup-17", namespace: "default" };
 */
export interface RecordOptions {
  /** Never used twice for something else: the same id again counts nothing. */
  readonly id: string;
  /** Its tenant pays. */
  readonly namespace?: string;
  /** Where no namespace decides. */
  readonly tenant?: string;
  readonly dimensions?: { readonly [name: string]: string };
  /** When it happened. Default: now. */
  readonly at?: Date;
}

/** A record on its way. */
export interface UsageEvent extends Omit<RecordOptions, "at"> {
  readonly meter: string;
  readonly amount: string;
  readonly at: Date | undefined;
}

/** Takes records. */
export type UsageSink = (event: UsageEvent) => Promise<void>;

const sinks = new Set<UsageSink>();

/** Sends records there instead of to the metering service, until the returned function is called. For tests. */
export function attachSink(sink: UsageSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

/**
 * Records an amount for a meter of `meter.events`. It goes to the metering service at CAPSTAN_METER_URL, with the token in the file
 * CAPSTAN_METER_TOKEN_FILE; without that setting nothing is recorded. It fails if the service does not take it: the reconcile is then
 * retried, and the id keeps it from counting twice.
 *
 * @example
 * const backups = meter.events({ name: "etcd.backups", unit: "backup" });
 * await record(backups, 1, { id: "uid-of-the-backup/snapshot-17", namespace: "default" });
 */
export async function record(meter: EventMeter, amount: number | string, options: RecordOptions): Promise<void> {
  const { at, ...rest } = options;
  const event = { ...rest, meter: meter.name, amount: String(amount), at };
  const asked = sinks.size > 0 ? [...sinks] : [defaultSink];
  for (const sink of asked) await sink(event);
}
