/** Records Kubernetes events on objects; repeated ones are counted in a series instead of written again. */
import { apiVersionOf, checkDns1123Subdomain } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { Bucket } from "../queue/bucket.ts";
import type { Rate } from "../queue/bucket.ts";
import { microTime } from "../leader/lease.ts";

/** The kind. */
export const Event: AnyKind = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
};

/** What happened. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly note: string;
}

export interface RecorderOptions {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly log: Log;
  /** The controller that reports. */
  readonly controller: string;
  /** The replica that reports. */
  readonly instance: string;
  readonly kind: AnyKind;
}

interface Series {
  readonly namespace: string;
  readonly name: string;
  count: number;
  lastAt: number;
  writtenAt: number;
}

/** A repetition within this time belongs to the series. */
const SERIES_SPAN = 6 * 60_000;
/** The minimum interval between writes of a series. */
const SERIES_PACE = 30_000;
const SERIES_KEPT = 1_000;
/** In bytes of UTF-8, as kube-apiserver counts. */
const NOTE_LENGTH = 1024;
/** The rate limit of different events for one object, as in client-go, so that a note with a counter in it does not flood the API. */
const RATE: Rate = { burst: 25, perSecond: 1 / 300 };

/** The remaining events of an object. */
interface Allowance {
  readonly bucket: Bucket;
  isUsedUp: boolean;
}

/** Records events for one controller. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #series = new Map<string, Series>();
  /** The remaining events of each object, by uid. */
  readonly #allowances = new Map<string, Allowance>();
  #serial = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Records without waiting: an event that cannot be written is only logged. */
  record(object: StoredObject, note: EventNote): void {
    const { clock, log } = this.#options;
    const now = clock.now();
    const id = `${object.metadata.uid} ${note.type} ${note.reason} ${note.note}`;
    const known = this.#series.get(id);
    const isRepeated = known !== undefined && now - known.lastAt < SERIES_SPAN;
    if (!isRepeated && !this.#mayBegin(object, note, now)) return;
    const write = isRepeated ? this.#repeat(known, now) : this.#begin(id, object, note);
    write.catch((error: unknown) => log.warn("could not record an event", { reason: note.reason, error }));
  }

  async #begin(id: string, object: StoredObject, note: EventNote): Promise<void> {
    const { writer, clock, controller, instance, kind } = this.#options;
    const { namespace = "default", name, uid } = object.metadata;
    const now = clock.now();
    const serial = `${Math.floor(clock.wall()).toString(16)}${(this.#serial++).toString(16)}`;
    const eventName = nameOfEvent(object, serial);
    keep(this.#series, id, { namespace, name: eventName, count: 1, lastAt: now, writtenAt: now });
    const regarding = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      namespace: object.metadata.namespace,
      name,
      uid,
    };
    const event = {
      apiVersion: apiVersionOf(Event),
      kind: Event.kind,
      metadata: { namespace, name: eventName },
      eventTime: microTime(clock.wall()),
      reportingController: controller,
      reportingInstance: instance,
      action: "Reconcile",
      type: note.type,
      reason: note.reason,
      note: cut(note.note),
      regarding,
    };
    await writer.create(Event, event);
  }

  async #repeat(series: Series, now: number): Promise<void> {
    const { writer, clock } = this.#options;
    series.count++;
    series.lastAt = now;
    if (series.count > 2 && now - series.writtenAt < SERIES_PACE) return;
    series.writtenAt = now;
    const body = { series: { count: series.count, lastObservedTime: microTime(clock.wall()) } };
    await writer.patch(Event, series, { body, part: "object" });
  }

  /** A warning says that events of the object are missing; the dropped ones are in the log. */
  #mayBegin(
    { metadata: { uid, namespace = "", name } }: StoredObject,
    { reason, note }: EventNote,
    now: number,
  ): boolean {
    const { log } = this.#options;
    const allowance = this.#allowances.get(uid) ?? { bucket: new Bucket(RATE, now), isUsedUp: false };
    keep(this.#allowances, uid, allowance);
    const wasUsedUp = allowance.isUsedUp;
    allowance.isUsedUp = allowance.bucket.take(now) > 0;
    if (!allowance.isUsedUp) return true;
    const fields = { object: `${namespace}/${name}`, reason, note };
    if (wasUsedUp) log.info("an event was left out", fields);
    else log.warn("an event was left out: this object had too many, and gets one in five minutes now", fields);
    return false;
  }
}

/** The object's name, or its uid if the name is too long or has characters that names of events do not allow. */
function nameOfEvent({ metadata: { name, uid } }: StoredObject, serial: string): string {
  const named = `${name}.${serial}`;
  return checkDns1123Subdomain(named).length === 0 ? named : `${uid}.${serial}`;
}

/** Puts an entry last and drops the first when there are too many. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > SERIES_KEPT) map.delete(map.keys().next().value ?? "");
}

/** As many whole characters as fit into the limit. */
function cut(note: string): string {
  const { read } = new TextEncoder().encodeInto(note, new Uint8Array(NOTE_LENGTH));
  return note.slice(0, read);
}
