/** One watch: the initial state, then changes, until its timeout. */
import { apiErrors, type KubeObject, type StatusError } from "@capstan/model";
import type { LiveBody, Sink } from "../answer.ts";
import type { Clock, Timer } from "../clock.ts";
import type { Change } from "../store/collection.ts";
import { atRevision, type Entry } from "../store/entry.ts";
import { tooLargeVersion } from "../store/list.ts";
import type { Store } from "../store/store.ts";
import type { Selection } from "../verbs/selection.ts";
import { covers, followFeed, type FeedEvent, type Follower } from "./feed.ts";
import { UnsendableEventError, type Frame, type FrameWriter } from "./frames.ts";

export interface WatchPlan {
  readonly store: Store;
  readonly clock: Clock;
  readonly resource: string;
  readonly selection: Pick<Selection, "key" | "prefix">;
  /** Whether a stored object is selected; may need a conversion webhook. `undefined` if all are. */
  readonly matches: ((object: KubeObject) => boolean | Promise<boolean>) | undefined;
  readonly start: WatchStart;
  readonly bookmarks: boolean;
  /** Milliseconds until the server ends the watch. */
  readonly timeout: number;
  readonly frames: FrameWriter;
  /** Calls back when the kind is no longer served; absent for built-in kinds. */
  readonly onUnserved?: ((callback: () => void) => () => void) | undefined;
  /** The error that the client gets. */
  refusal(error: unknown): StatusError;
  /** An object of the kind with only a resourceVersion. */
  bookmark(revision: number, isInitialEnd: boolean): KubeObject;
}

/** The start of a watch: with the current state, or after a revision. */
export type WatchStart =
  | { readonly type: "state"; readonly notBefore: number; readonly marksEnd: boolean }
  | { readonly type: "revision"; readonly revision: number };

const bookmarkPeriod = 60_000;
/** A watch that catches up sends this many bytes per turn of the event loop. */
const bytesPerTurn = 64 * 1024;

/** The streamed body of a watch. */
export function watchBody(plan: WatchPlan): LiveBody {
  return (sink) => {
    const watcher = new Watcher(plan, sink);
    watcher.start();
    return () => watcher.stop();
  };
}

type Happened = Pick<Change, "type" | "entry" | "previous" | "revision">;

class Watcher implements Follower {
  readonly #plan: WatchPlan;
  readonly #sink: Sink;
  readonly #timers: Timer[] = [];
  #unlisten: () => void = () => {};
  #unrestore: () => void = () => {};
  #unserve: (() => void) | undefined;
  /** Events are sent in order, even if the conversion of one is asynchronous. */
  #tail: Promise<void> | undefined;
  /** The remaining entries of the initial state. */
  #state: readonly Entry[] = [];
  #stateSent = 0;
  #marksEnd = false;
  /** The revision up to which all changes were sent, after the initial state. */
  #sent = 0;
  /** Whether the client reads too slowly for live events: changes are then read from the history when the sink drains. */
  #isBehind = false;
  /** The bytes that were sent in this turn, while it catches up. */
  #sentBytes = 0;
  #stopped = false;

  constructor(plan: WatchPlan, sink: Sink) {
    this.#plan = plan;
    this.#sink = sink;
  }

  start(): void {
    const { store, clock, timeout, bookmarks, onUnserved } = this.#plan;
    this.#attempt(() => this.#begin());
    if (this.#stopped) return;
    this.#unlisten = this.#listen();
    this.#unrestore = store.onRestore(() => this.#finish());
    this.#unserve = onUnserved?.(() => this.#finish());
    this.#timers.push(clock.later(timeout, () => this.#finish()));
    if (bookmarks) this.#scheduleBookmark();
    this.#attempt(() => this.#catchUp());
  }

  stop(): void {
    this.#stopped = true;
    this.#unlisten();
    this.#unrestore();
    this.#unserve?.();
    for (const timer of this.#timers) timer.cancel();
  }

  /** Handles a shared event. This runs a thousand times for each write if there are a thousand watches. */
  take({ revision, frame, before }: FeedEvent): void {
    if (this.#isBehind || revision <= this.#sent) return;
    if (this.#sink.isFull) {
      this.#sent = Math.max(this.#sent, before);
      this.#fallBehind();
      return;
    }
    this.#sent = revision;
    this.#send(frame);
  }

  fail(error: unknown): void {
    if (this.#stopped) return;
    if (!(error instanceof UnsendableEventError))
      this.#write(this.#plan.frames.error(this.#plan.refusal(error).status));
    this.#finish();
  }

  #listen(): () => void {
    const { store, resource, selection, matches, frames } = this.#plan;
    const format = frames.sharedFormat;
    if (matches === undefined && format !== undefined) return followFeed({ store, resource, selection, format }, this);
    return store.listen(resource, (change) => this.#attempt(() => this.#onChange(change)));
  }

  #begin(): void {
    const { start, store, resource, selection, bookmarks } = this.#plan;
    if (start.type === "revision") {
      this.#beginAfter(start.revision);
      return;
    }
    if (start.notBefore > store.revision) throw tooLargeVersion(start.notBefore, store.revision, { resource });
    this.#state = store.collection(resource).withPrefix(selection.key ?? selection.prefix);
    this.#marksEnd = start.marksEnd && bookmarks;
    this.#sent = store.revision;
  }

  #beginAfter(revision: number): void {
    const { store, resource } = this.#plan;
    this.#sent = revision;
    if (store.changesAfter(resource, revision) !== undefined) return;
    const { forgottenUpTo } = store.collection(resource);
    throw apiErrors.resourceExpired(`too old resource version: ${revision} (${forgottenUpTo})`);
  }

  /** Sends the remaining state and the changes since, as far as the sink has space. */
  #catchUp(): void {
    this.#isBehind = false;
    this.#sentBytes = 0;
    if (!this.#stopped && !(this.#sendState() && this.#sendHistory())) this.#fallBehind();
  }

  #fallBehind(): void {
    this.#isBehind = true;
    const goOn = (): void => this.#attempt(() => this.#catchUp());
    if (this.#sink.isFull || this.#sink.later === undefined) this.#sink.whenDrained(goOn);
    else this.#sink.later(goOn);
  }

  /** Whether the rest must wait for the client, or for another turn. */
  #mustWait(): boolean {
    return this.#sink.isFull || (this.#sentBytes >= bytesPerTurn && this.#sink.later !== undefined);
  }

  /** Whether the whole state was sent. */
  #sendState(): boolean {
    if (!this.#sendPieces()) return false;
    for (; this.#stateSent < this.#state.length; this.#stateSent++) {
      if (this.#mustWait()) return false;
      const entry = this.#state[this.#stateSent];
      if (entry !== undefined)
        this.#sendChange({ type: "ADDED", entry, previous: undefined, revision: entry.revision });
    }
    if (this.#marksEnd) this.#sendBookmark(this.#sent, true);
    this.#marksEnd = false;
    this.#state = [];
    return true;
  }

  /** Sends the whole state of a watch without selector in pieces, if its format allows it. Whether nothing must wait. */
  #sendPieces(): boolean {
    const { matches, selection, frames } = this.#plan;
    if (frames.entries === undefined || matches !== undefined || selection.key !== undefined) return true;
    while (this.#stateSent < this.#state.length) {
      if (this.#mustWait()) return false;
      const from = this.#stateSent;
      for (let length = 0; this.#stateSent < this.#state.length && length < bytesPerTurn; this.#stateSent++) {
        length += this.#state[this.#stateSent]?.line.length ?? 0;
      }
      this.#send(frames.entries(this.#state.slice(from, this.#stateSent)));
    }
    return true;
  }

  /** Whether all changes were sent. If some are compacted, the client must list again. */
  #sendHistory(): boolean {
    const { store, resource } = this.#plan;
    for (;;) {
      const changes = store.changesAfter(resource, this.#sent);
      if (changes === undefined) this.#finish();
      if (changes === undefined || changes.length === 0) return true;
      for (const change of changes) {
        if (this.#mustWait()) return false;
        this.#follow(change);
      }
    }
  }

  #onChange(change: Change): void {
    if (this.#isBehind) return;
    if (this.#sink.isFull) this.#fallBehind();
    else this.#follow(change);
  }

  #follow(change: Change): void {
    if (change.revision <= this.#sent) return;
    this.#sent = change.revision;
    if (covers(this.#plan.selection, change.key)) this.#sendChange(change);
  }

  #sendChange(change: Happened): void {
    const before = change.previous !== undefined && this.#selects(change.previous);
    const after = change.type !== "DELETED" && this.#selects(change.entry);
    if (typeof before === "boolean" && typeof after === "boolean") this.#send(this.#frameOf(change, before, after));
    else this.#send(Promise.all([before, after]).then(([was, is]) => this.#frameOf(change, was, is)));
  }

  /** The event of a change for a selection; none, if the object was and is not selected. */
  #frameOf(change: Happened, before: boolean, after: boolean): Frame | Promise<Frame> | undefined {
    const { frames } = this.#plan;
    if (after) return frames.entry(before ? "MODIFIED" : "ADDED", change.entry);
    return before ? frames.entry("DELETED", deletedEntry(change)) : undefined;
  }

  #selects(entry: Entry): boolean | Promise<boolean> {
    const { matches, selection } = this.#plan;
    return covers(selection, entry.key) && (matches === undefined || matches(entry.object));
  }

  #scheduleBookmark(): void {
    const { clock } = this.#plan;
    const timer = clock.later(bookmarkPeriod, () => {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      if (!this.#isBehind) this.#attempt(() => this.#sendBookmark(this.#plan.store.revision, false));
      this.#scheduleBookmark();
    });
    this.#timers.push(timer);
  }

  #sendBookmark(revision: number, isInitialEnd: boolean): void {
    const { frames } = this.#plan;
    this.#send(frames.object("BOOKMARK", this.#plan.bookmark(revision, isInitialEnd)));
  }

  #send(frame: Frame | undefined | Promise<Frame | undefined>): void {
    if (this.#tail === undefined && !(frame instanceof Promise)) return this.#write(frame);
    const tail = (this.#tail ?? Promise.resolve())
      .then(async () => this.#write(await frame))
      .catch((error: unknown) => this.fail(error));
    this.#tail = tail;
    void tail.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
  }

  #write(frame: Frame | undefined): void {
    if (this.#stopped || frame === undefined) return;
    this.#sentBytes += frame.length;
    this.#sink.write(frame);
  }

  /** An error of one watch is sent to its client only; writers and other watches are not affected. */
  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  #finish(): void {
    if (this.#stopped) return;
    this.stop();
    this.#sink.end();
  }
}

/** The object of a DELETED event: its last selected state, at the revision of the change. */
function deletedEntry(change: Happened): Entry {
  if (change.type === "DELETED" || change.previous === undefined) return change.entry;
  return atRevision(change.previous, change.revision);
}
