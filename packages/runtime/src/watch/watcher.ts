/** Watches one kind: emits every object, then every change, whatever happens to the connection. */
import { sleep } from "../clock.ts";
import type { Clock, Random } from "../clock.ts";
import { isEarlier, isLater, keyText } from "../api.ts";
import type { AnyKind, Api, ListPage, Scope, WatchLine, WatchEvent, WatchStream } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import type { StoredObject } from "@capstan/model";
import { parseBytes, ListedBytes } from "./listed-bytes.ts";
import { isAbsent, isBehind, nextState, usualTuning } from "./states.ts";
import type { End, State, WatchTuning } from "./states.ts";

/** The events of a watcher, in order. Between `restarted` and `synced` come all existing objects; any other object is gone. */
export type WatcherEvent =
  | { readonly type: "restarted" }
  | { readonly type: "listed"; readonly object: StoredObject | ListedBytes }
  /** A listed object was deleted before the list is complete. */
  | { readonly type: "unlisted"; readonly object: StoredObject }
  | { readonly type: "synced"; readonly version: string }
  | { readonly type: "changed"; readonly object: StoredObject }
  | { readonly type: "removed"; readonly object: StoredObject }
  | { readonly type: "progressed"; readonly version: string }
  /** All known objects are invalid: the server does not serve the kind, or its history was reset. */
  | { readonly type: "vanished" }
  | { readonly type: "failed"; readonly error: unknown; readonly state: State["at"] };

/** The state that was built from the events. */
export interface Known {
  readonly size: number;
  stored(key: string): StoredObject | undefined;
}

export interface WatcherOptions {
  readonly api: Api;
  readonly kind: AnyKind;
  readonly scope: Scope;
  readonly clock: Clock;
  readonly random: Random;
  readonly tuning?: WatchTuning | undefined;
  readonly signal: AbortSignal;
  readonly known: Known;
  /** Called with each event; must not throw. */
  readonly onEvent: (event: WatcherEvent) => void;
}

/** The server's annotation on the bookmark that ends the initial events of a streaming list. */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The number of consecutive "not found" responses after which a kind counts as not served. */
const notServedThreshold = 2;

/**
 * The number of consecutive lists that may be older than the known state. With the delays between them this is minutes: a stale server
 * has caught up by then, and one whose store was restored from a backup never will.
 */
const maxStaleLists = 10;

/**
 * After so much silence everything is listed, in milliseconds: a restored server that has reached the same version may have the same
 * number of objects, and servers report no count for a selector.
 */
const relistAfterSilence = 3_600_000;

/** Runs until the signal is aborted. */
export async function runWatcher(options: WatcherOptions): Promise<void> {
  await new Watcher(options).run();
}

class Watcher {
  readonly #options: WatcherOptions;
  readonly #tuning: WatchTuning;
  #version: string | undefined;
  /** The latest version of any received object, also of a list that broke off. */
  #latest: string | undefined;
  #failures = 0;
  /** The number of consecutive lists that were older. */
  #staleLists = 0;
  /** The time of the last received event, on the clock. */
  #lastEventAt = 0;
  /** Whether the current connection delivered anything. */
  #hasReceived = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#tuning = options.tuning ?? usualTuning;
  }

  async run(): Promise<void> {
    const { signal, clock } = this.#options;
    let state: State = { at: "streaming" };
    while (!signal.aborted) {
      if (state.at === "waiting") {
        await sleep(clock, state.delay, signal).catch(() => undefined);
        state = state.then;
      } else {
        state = await this.#step(state);
      }
    }
  }

  /** Runs one state and returns the next. */
  async #step(state: Exclude<State, { readonly at: "waiting" }>): Promise<State> {
    this.#hasReceived = false;
    const end = await this.#runState(state);
    if (end.how === "failed" && !this.#options.signal.aborted) this.#reportFailure(end.error, state.at);
    const progress = { state, version: this.#version, failures: this.#failures };
    const next = nextState(progress, end, this.#tuning, this.#options.random);
    if (!this.#hasReceived) this.#failures++;
    return next;
  }

  #reportFailure(error: unknown, state: State["at"]): void {
    const { onEvent } = this.#options;
    onEvent({ type: "failed", error, state });
    // One such response may come from a server that is starting; several are reliable.
    const isGone = isAbsent(error) && this.#failures >= notServedThreshold;
    const isAnotherHistory = isBehind(error) && ++this.#staleLists >= maxStaleLists;
    if (!isGone && !isAnotherHistory) return;
    this.#latest = undefined;
    this.#staleLists = 0;
    onEvent({ type: "vanished" });
  }

  async #runState(state: Exclude<State, { readonly at: "waiting" }>): Promise<End> {
    try {
      switch (state.at) {
        case "streaming":
          return await this.#watchFrom(undefined);
        case "paging":
          return await this.#page(state.pageSize);
        case "watching":
          return await this.#watchFrom(state.version);
        case "probing":
          return await this.#probe();
      }
    } catch (error) {
      return { how: "failed", error };
    }
  }

  async #page(pageSize: number): Promise<End> {
    const { api, kind, scope, signal } = this.#options;
    this.#restart();
    let continueAt: string | undefined;
    for (;;) {
      const limit = pageSize === 0 ? undefined : pageSize;
      const page = await api.list(kind, { ...scope, limit, continueAt, signal });
      for (const object of page.items) this.#list(object);
      continueAt = page.continueAt === "" ? undefined : page.continueAt;
      if (continueAt !== undefined) continue;
      this.#complete(page.resourceVersion);
      return { how: "listed", version: page.resourceVersion };
    }
  }

  /** A list with limit 1: it returns the server's version for any kind, and mostly the object count. */
  async #probe(): Promise<End> {
    const { api, kind, scope, clock, signal } = this.#options;
    const page = await api.list(kind, { ...scope, limit: 1, signal });
    this.#failures = 0;
    this.#hasReceived = true;
    const isKnown = clock.now() - this.#lastEventAt < relistAfterSilence && this.#isKnown(page);
    return { how: "probed", version: page.resourceVersion, isKnown };
  }

  /** Whether a page is consistent with the known objects. */
  #isKnown({ items, continueAt = "", remaining }: ListPage): boolean {
    const { known } = this.#options;
    const isWhole = continueAt === "";
    if ((isWhole || remaining !== undefined) && items.length + (isWhole ? 0 : (remaining ?? 0)) !== known.size)
      return false;
    return items.every((item) => {
      const { uid, resourceVersion } = known.stored(keyText(item))?.metadata ?? {};
      return uid === item.metadata.uid && resourceVersion === item.metadata.resourceVersion;
    });
  }

  /** One connection: from a version, or with every object first. */
  async #watchFrom(from: string | undefined): Promise<End> {
    const { api, kind, scope, clock, random, signal } = this.#options;
    using connection = new Connection(clock, this.#tuning.idle, signal);
    if (from === undefined) this.#restart();
    const events = api.watch(kind, {
      ...scope,
      resourceVersion: from,
      initialEvents: from === undefined,
      timeoutSeconds: Math.round((this.#tuning.timeout * (1 + random())) / 1000),
      signal: connection.signal,
    });
    try {
      await this.#readEvents(events, { connection, listing: from === undefined });
    } catch (error) {
      if (connection.isIdle) return { how: "idle" };
      throw error;
    }
    if (connection.isIdle) return { how: "idle" };
    return { how: "closed", lived: connection.age };
  }

  /** Reads a watch until it ends: as batches of bytes, if they are available. */
  async #readEvents(events: WatchStream, start: { connection: Connection; listing: boolean }): Promise<void> {
    const { connection } = start;
    let { listing } = start;
    if (events.batches === undefined) {
      for await (const event of events) {
        connection.seen();
        listing = listing ? this.#listEvent(event) : this.#liveEvent(event);
      }
      return;
    }
    for await (const batch of events.batches()) {
      connection.seen();
      for (const line of batch) listing = this.#bytesEvent(line, listing);
    }
  }

  /** Most listed objects are never read beyond their metadata, so they are not parsed. */
  #bytesEvent({ type, bytes }: WatchLine, listing: boolean): boolean {
    if (listing && (type === "ADDED" || type === "MODIFIED")) {
      this.#list(new ListedBytes(bytes));
      return true;
    }
    const event = { type, object: parseBytes(bytes) };
    return listing ? this.#listEvent(event) : this.#liveEvent(event);
  }

  /** An event before the end of the initial events: the version must not advance yet, because the list is not complete. */
  #listEvent({ type, object }: WatchEvent): boolean {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        this.#list(object);
        return true;
      case "DELETED":
        this.#noteVersion(object.metadata.resourceVersion);
        this.#options.onEvent({ type: "unlisted", object });
        return true;
      case "BOOKMARK": {
        if (object.metadata.annotations?.[INITIAL_EVENTS_END] !== "true") return true;
        this.#complete(object.metadata.resourceVersion);
        return false;
      }
    }
  }

  #liveEvent({ type, object }: WatchEvent): boolean {
    const { onEvent } = this.#options;
    const version = object.metadata.resourceVersion;
    const isKnown = this.#version !== undefined && isEarlier(version, this.#version);
    // An event with an earlier version than the known one is a repetition. Only deletions may have the version before, on some servers.
    if (isKnown && type === "BOOKMARK") throw this.#behind("go on with a watch", version);
    if (isKnown && type !== "DELETED") return false;
    if (!isKnown) this.#advanceTo(version);
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        onEvent({ type: "changed", object });
        return false;
      case "DELETED":
        onEvent({ type: "removed", object });
        return false;
      case "BOOKMARK":
        onEvent({ type: "progressed", version });
        return false;
    }
  }

  /** An object of a list, which may break off: its version counts for later lists all the same. */
  #list(object: StoredObject | ListedBytes): void {
    this.#noteVersion(object.metadata.resourceVersion);
    this.#options.onEvent({ type: "listed", object });
  }

  #noteVersion(version: string): void {
    if (this.#latest === undefined || isLater(version, this.#latest)) this.#latest = version;
  }

  /** A list is complete; one that is older than the known state is rejected: deleted objects would reappear. */
  #complete(version: string): void {
    const { onEvent } = this.#options;
    if (this.#latest !== undefined && isEarlier(version, this.#latest)) throw this.#behind("take a list", version);
    this.#staleLists = 0;
    this.#advanceTo(version);
    onEvent({ type: "synced", version });
  }

  #behind(what: string, version: string): RuntimeError {
    return new RuntimeError(
      "ServerBehind",
      `Did not ${what} of ${this.#options.kind.plural}: it is as of version ${version}, and version ${this.#latest} was received before. ` +
        "The API server is behind and is asked again.",
    );
  }

  #advanceTo(version: string): void {
    this.#version = version;
    this.#latest = version;
    this.#lastEventAt = this.#options.clock.now();
    this.#failures = 0;
    this.#hasReceived = true;
  }

  /** A new list begins: until it is complete there is no version to continue from. */
  #restart(): void {
    this.#version = undefined;
    this.#options.onEvent({ type: "restarted" });
  }
}

/** One connection of a watch: ended from outside, or by the idle timeout. */
class Connection implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #idle: number;
  readonly #outer: AbortSignal;
  readonly #started: number;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);
  #seenAt: number;
  #timer: { cancel(): void };
  isIdle = false;

  constructor(clock: Clock, idle: number, outer: AbortSignal) {
    this.#clock = clock;
    this.#idle = idle;
    this.#outer = outer;
    this.#started = this.#seenAt = clock.now();
    this.#timer = clock.later(idle, () => this.#check());
    if (outer.aborted) this.#onAbort();
    outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get age(): number {
    return this.#clock.now() - this.#started;
  }

  seen(): void {
    this.#seenAt = this.#clock.now();
  }

  #check(): void {
    const quiet = this.#clock.now() - this.#seenAt;
    if (quiet < this.#idle) {
      this.#timer = this.#clock.later(Math.max(1, this.#idle - quiet), () => this.#check());
      return;
    }
    this.isIdle = true;
    this.#controller.abort();
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#outer.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}
