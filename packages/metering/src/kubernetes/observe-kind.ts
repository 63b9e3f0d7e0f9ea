/**
 * Observes one kind: a list, then watches from its version on, each so short that its orderly end proves the connection. What breaks
 * in between is written as LOST, and the next list ends the gap.
 */
import { ApiError, type Client, createClient, isApiError, noRetry, type Transport } from "@capstan/client";
import type { Kind } from "@capstan/model";
import type { LineFields } from "./journal-file.ts";
import { keptOf } from "./kept.ts";

/** A kind as the book names it. */
export interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What an observation needs. */
export interface Observation {
  readonly client: Client;
  /** The time of day. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes lines; slow readers of them hold the observation back. */
  readonly write: (lines: readonly LineFields[]) => Promise<void>;
  /** Says what is wrong, once for each change. */
  readonly warn: (message: string) => void;
  /** Ends the observation in order: what happened until then is written. */
  readonly stop: AbortSignal;
}

/** A watch ends in order after this time, so that there is a proof of the connection at least so often. */
const watchSeconds = 15;
/** How long the end of a watch may be overdue. */
const overdueMs = 8_000;
/** A longer pause between two watches is a gap. */
const toleranceMs = 2_000;
/** The Date header of a slow response says little about the clock. */
const promptMs = 1_000;
const backoffMs = [250, 500, 1_000, 2_000, 5_000];

/** The watch broke: since when nothing is known. */
class LostError extends Error {
  override readonly name = "LostError";
  readonly since: number;

  constructor(since: number, cause: unknown) {
    super("the watch broke", { cause });
    this.since = since;
  }
}

/** The connection is dead although no error said so. */
class SilentError extends Error {
  override readonly name = "SilentError";
}

/** Observes until it is stopped. Returns whether the last list was followed without a break. */
export async function observeKind(kind: NamedKind, observation: Observation): Promise<boolean> {
  const watcher = new KindWatcher(kind, observation);
  let failures = 0;
  let said = "";
  while (!observation.stop.aborted) {
    try {
      const version = await watcher.list();
      failures = 0;
      said = "";
      await watcher.follow(version);
      return true;
    } catch (error) {
      const cause = error instanceof LostError ? error.cause : error;
      // All else, such as a full disk, is not of the server.
      if (!(cause instanceof ApiError || cause instanceof SilentError)) throw cause;
      if (error instanceof LostError) await watcher.lost(error.since);
      const message = cause instanceof Error ? cause.message : String(cause);
      if (message !== said) observation.warn(`${kind.apiVersion} ${kind.kind}: ${message}`);
      said = message;
      const pause = backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 0;
      failures += 1;
      await observation.sleep(pause, observation.stop).catch(() => undefined);
    }
  }
  return false;
}

/** Writes one complete list. */
export async function listKind(kind: NamedKind, observation: Observation): Promise<void> {
  await new KindWatcher(kind, observation).list();
}

interface Seen {
  readonly at: number;
  readonly date: string | undefined;
}

class KindWatcher {
  readonly #kind: NamedKind;
  readonly #observation: Observation;
  readonly #client: Client;
  /** The last response: when it came, and the clock of the server. */
  #seen: Seen = { at: 0, date: undefined };
  #onResponse: () => void = () => {};

  constructor(kind: NamedKind, observation: Observation) {
    this.#kind = kind;
    this.#observation = observation;
    this.#client = createClient(this.#listening(observation.client.transport), { userAgent: "capstan-meter" });
  }

  /** The transport, with an ear for the head of each response. */
  #listening(transport: Transport): Transport {
    const { now } = this.#observation;
    return {
      request: async (request) => {
        const sent = now();
        const response = await transport.request(request);
        const { date } = response.headers;
        const at = now();
        const isPrompt = at - sent < promptMs && typeof date === "string";
        this.#seen = { at, date: isPrompt ? date : undefined };
        if (response.status < 300) this.#onResponse();
        return response;
      },
    };
  }

  /** Lists all objects; the version to watch from. */
  async list(): Promise<string> {
    const { now, write } = this.#observation;
    const resource = await this.#resource();
    const uids: string[] = [];
    let version = "";
    for await (const page of this.#client.list(resource, everywhere(resource)).pages()) {
      version = page.metadata.resourceVersion ?? version;
      const at = stamp(now());
      await write(
        page.items.map((item) => {
          uids.push(String(item.metadata.uid));
          return { type: "ADDED", list: true, at, object: keptOf({ ...item }, this.#kind) };
        }),
      );
    }
    // Not earlier than the lines of the list.
    await write([{ type: "SYNCED", ...this.#mark(now()), uids }]);
    return version;
  }

  async #resource(): Promise<Kind> {
    const { apiVersion, kind } = this.#kind;
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    return this.#client.resourceFor({ group, version, kind });
  }

  /** A line about the kind, with the clock of the server if its last response is fresh. */
  #mark(at: number): {
    readonly at: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly date?: string;
  } {
    const { at: seenAt, date } = this.#seen;
    const isFresh = date !== undefined && at - seenAt < promptMs;
    return { at: stamp(at), ...this.#kind, ...(isFresh && { date }) };
  }

  /** Watches until the observation is stopped, then once more up to that moment. */
  async follow(version: string): Promise<void> {
    const { stop } = this.#observation;
    let from = version;
    let provenAt = this.#seen.at;
    while (!stop.aborted)
      ({ from, provenAt } = await this.#watch({ from, provenAt, seconds: watchSeconds, isLast: false }));
    await this.#watch({ from, provenAt, seconds: 1, isLast: true });
  }

  async lost(since: number): Promise<void> {
    await this.#observation.write([{ type: "LOST", at: stamp(since), ...this.#kind }]);
  }

  /** One watch, from its opening to its orderly end. */
  async #watch({ from, provenAt, seconds, isLast }: WatchStart): Promise<{ from: string; provenAt: number }> {
    const { now, sleep, write, stop } = this.#observation;
    const resource = await this.#resource();
    const overdue = new AbortController();
    const ended = new AbortController();
    const signals = isLast ? [overdue.signal] : [overdue.signal, stop];
    void sleep(seconds * 1000 + overdueMs, ended.signal).then(
      () => overdue.abort(new SilentError("the server ends no watch in time: the connection is dead")),
      () => undefined,
    );
    let proven = provenAt;
    let version = from;
    let opened: Promise<void> = Promise.resolve();
    this.#onResponse = () => {
      const { at } = this.#seen;
      if (at - provenAt > toleranceMs) overdue.abort(new SilentError("the server could not be reached for a while"));
      else {
        proven = at;
        opened = write([{ type: "BOOKMARK", ...this.#mark(at) }]);
        // The loop below awaits it; an earlier failure must not end the process.
        opened.catch(() => undefined);
      }
    };
    try {
      const where = { ...everywhere(resource), resourceVersion: from, timeoutSeconds: seconds };
      for await (const event of this.#client.watch(resource, {
        ...where,
        retry: noRetry,
        signal: AbortSignal.any(signals),
      })) {
        await opened;
        if (event.type === "ERROR") throw event.error;
        proven = now();
        version = event.object.metadata.resourceVersion ?? version;
        const at = stamp(proven);
        if (event.type === "BOOKMARK") await write([{ type: "BOOKMARK", at, ...this.#kind }]);
        else await write([{ type: event.type, at, object: keptOf({ ...event.object }, this.#kind) }]);
      }
      await opened;
      proven = now();
      await write([{ type: "BOOKMARK", at: stamp(proven), ...this.#kind }]);
    } catch (error) {
      await opened;
      if (stop.aborted && !isLast) return { from: version, provenAt: now() };
      // A connection that breaks is noticed at once; a dead one is only known by its silence.
      throw new LostError(overdue.signal.aborted || isApiError(error, "Unreachable") ? proven : now(), error);
    } finally {
      ended.abort();
      this.#onResponse = () => {};
    }
    return { from: version, provenAt: proven };
  }
}

interface WatchStart {
  readonly from: string;
  /** When the connection was last known to be alive. */
  readonly provenAt: number;
  readonly seconds: number;
  readonly isLast: boolean;
}

function everywhere({ scope }: Kind): { readonly namespace?: never } {
  // The scope is known at run time only.
  return (scope === "Namespaced" ? { namespace: "*" } : {}) as { readonly namespace?: never };
}

function stamp(time: number): string {
  return new Date(time).toISOString();
}
