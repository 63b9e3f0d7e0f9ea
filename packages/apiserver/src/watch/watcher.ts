/** One watch: what is there, then what changes, until the time is up. */
import { apiErrors, StatusError, type KubeObject } from "@capstan/model";
import type { LiveBody, Sink } from "../answer.ts";
import type { Clock, Timer } from "../clock.ts";
import type { Change } from "../store/collection.ts";
import { atRevision, type Entry } from "../store/entry.ts";
import { tooLargeVersion } from "../store/list.ts";
import type { Store } from "../store/store.ts";
import type { Selection } from "../verbs/selection.ts";
import type { Frame, FrameWriter } from "./frames.ts";

/** What to watch and from where. */
export interface WatchPlan {
  readonly store: Store;
  readonly clock: Clock;
  readonly resource: string;
  readonly selection: Pick<Selection, "key" | "prefix">;
  /** Whether an object of the store is watched; it may take a webhook to tell. `undefined` when all are. */
  readonly matches: ((object: KubeObject) => boolean | Promise<boolean>) | undefined;
  readonly start: WatchStart;
  readonly bookmarks: boolean;
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number;
  readonly frames: FrameWriter;
  /** An object of the kind with nothing in it but a resourceVersion. */
  bookmark(revision: number, isInitialEnd: boolean): KubeObject;
}

/** Where a watch begins: with the present state, or after a revision. */
export type WatchStart =
  | { readonly type: "state"; readonly notBefore: number; readonly marksEnd: boolean }
  | { readonly type: "revision"; readonly revision: number };

const bookmarkPeriod = 60_000;

/** A client that reads this much too slowly is cut off; it will come back. */
const maxBacklog = 32 * 1024 * 1024;

/** The body of a watch. */
export function watchBody(plan: WatchPlan): LiveBody {
  return (sink) => {
    const watcher = new Watcher(plan, sink);
    watcher.start();
    return () => watcher.stop();
  };
}

type Happened = Pick<Change, "type" | "entry" | "previous" | "revision">;

class Watcher {
  readonly #plan: WatchPlan;
  readonly #sink: Sink;
  readonly #timers: Timer[] = [];
  #unlisten: () => void = () => {};
  #unrestore: () => void = () => {};
  /** Events are sent in order even when one of them has to be converted elsewhere. */
  #tail: Promise<void> | undefined;
  #sent = 0;
  #stopped = false;

  constructor(plan: WatchPlan, sink: Sink) {
    this.#plan = plan;
    this.#sink = sink;
  }

  start(): void {
    const { store, resource, clock, timeout, bookmarks } = this.#plan;
    try {
      this.#begin();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#send(this.#plan.frames.error(error.status));
      this.#finish();
      return;
    }
    this.#unlisten = store.listen(resource, (change) => this.#onChange(change));
    this.#unrestore = store.onRestore(() => this.#finish());
    this.#timers.push(clock.after(timeout, () => this.#finish()));
    if (bookmarks) this.#scheduleBookmark();
  }

  stop(): void {
    this.#stopped = true;
    this.#unlisten();
    this.#unrestore();
    for (const timer of this.#timers) timer.cancel();
  }

  /** Sends what is there, or what happened since. */
  #begin(): void {
    const { start } = this.#plan;
    if (start.type === "state") this.#sendState(start);
    else this.#sendHistory(start.revision);
  }

  #sendState({ notBefore, marksEnd }: WatchStart & { type: "state" }): void {
    const { store, resource, selection, bookmarks } = this.#plan;
    if (notBefore > store.revision) throw tooLargeVersion(notBefore, store.revision, resource);
    for (const entry of store.collection(resource).withPrefix(selection.key ?? selection.prefix)) {
      this.#sendChange({ type: "ADDED", entry, previous: undefined, revision: entry.revision });
    }
    this.#sent = store.revision;
    if (marksEnd && bookmarks) this.#sendBookmark(true);
  }

  #sendHistory(revision: number): void {
    const { store, resource } = this.#plan;
    const collection = store.collection(resource);
    if (revision < collection.forgottenUpTo) {
      const message = `too old resource version: ${revision} (${collection.forgottenUpTo})`;
      throw apiErrors.resourceExpired(message);
    }
    this.#sent = revision;
    for (const change of collection.changesAfter(revision)) this.#onChange(change);
  }

  #onChange(change: Change): void {
    if (change.revision <= this.#sent || !this.#covers(change.key)) return;
    this.#sent = change.revision;
    this.#sendChange(change);
  }

  #sendChange(change: Happened): void {
    const before = change.previous !== undefined && this.#selects(change.previous);
    const after = change.type !== "DELETED" && this.#selects(change.entry);
    if (typeof before === "boolean" && typeof after === "boolean") this.#send(this.#frameOf(change, before, after));
    else this.#send(Promise.all([before, after]).then(([was, is]) => this.#frameOf(change, was, is)));
  }

  /** A change as it looks to whoever sees only what is selected: nothing, if it was and is out of sight. */
  #frameOf(change: Happened, before: boolean, after: boolean): Frame | Promise<Frame> | undefined {
    const { frames } = this.#plan;
    if (after) return frames.entry(before ? "MODIFIED" : "ADDED", change.entry);
    return before ? frames.entry("DELETED", deletedEntry(change)) : undefined;
  }

  #covers(key: string): boolean {
    const { selection } = this.#plan;
    return selection.key === undefined ? key.startsWith(selection.prefix) : key === selection.key;
  }

  #selects(entry: Entry): boolean | Promise<boolean> {
    const { matches } = this.#plan;
    return this.#covers(entry.key) && (matches === undefined || matches(entry.object));
  }

  #scheduleBookmark(): void {
    const { clock } = this.#plan;
    const timer = clock.after(bookmarkPeriod, () => {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      this.#sendBookmark(false);
      this.#scheduleBookmark();
    });
    this.#timers.push(timer);
  }

  #sendBookmark(isInitialEnd: boolean): void {
    const { store, frames } = this.#plan;
    this.#send(frames.object("BOOKMARK", this.#plan.bookmark(store.revision, isInitialEnd)));
  }

  #send(frame: Frame | undefined | Promise<Frame | undefined>): void {
    if (this.#tail === undefined && !(frame instanceof Promise)) return this.#write(frame);
    const tail = (this.#tail ?? Promise.resolve())
      .then(async () => this.#write(await frame))
      .catch(() => this.#finish());
    this.#tail = tail;
    void tail.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
  }

  #write(frame: Frame | undefined): void {
    if (this.#stopped || frame === undefined) return;
    this.#sink.write(frame);
    if (this.#sink.backlog > maxBacklog) this.#finish();
  }

  #finish(): void {
    if (this.#stopped) return;
    this.stop();
    this.#sink.end();
  }
}

/** What is shown of an object that is gone, or that is out of the selection: its last state inside, at the revision of the change. */
function deletedEntry(change: Happened): Entry {
  if (change.type === "DELETED" || change.previous === undefined) return change.entry;
  return atRevision(change.previous, change.revision);
}
