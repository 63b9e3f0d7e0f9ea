/** Replays journals: which state every object had when, and when nothing was observed. */
import type { Stretch } from "../engine/stretch.ts";
import { EffectiveTime } from "./effective-time.ts";
import type { JournalLine, SeenObject } from "./line.ts";

/** A state of an object from a time on; inside a gap before it the state is not known. */
export interface State {
  readonly start: number;
  /** The begin of the gap that ends at `start`. */
  readonly gapStart?: number;
  readonly object: SeenObject;
}

/** The life of an object with one uid. */
export interface Track {
  readonly states: State[];
  /** Absent while it exists. */
  end?: number;
}

/** What was observed of a kind in a cluster. */
export interface KindHistory {
  readonly cluster: string;
  readonly kind: string;
  /** The first complete list. */
  readonly observedFrom: number | undefined;
  /** The last effective time: the watermark. */
  readonly last: number;
  readonly gaps: readonly Stretch[];
  readonly tracks: readonly Track[];
}

/** Takes lines in order, journal after journal. */
export class Replay {
  readonly #kinds = new Map<string, Observed>();
  readonly #time = new EffectiveTime();

  /** Takes the next line. */
  take(line: JournalLine): void {
    const { kind, body } = line;
    const at = this.#time.take(line);
    if (at === undefined || body.type === "JOURNAL") return;
    const { cluster } = this.#time;
    const key = `${cluster}\u0000${kind}`;
    const observed = this.#kinds.get(key) ?? new Observed(cluster, kind);
    this.#kinds.set(key, observed);
    observed.take(body, at);
  }

  /** What is known after the last line. */
  histories(): readonly KindHistory[] {
    return [...this.#kinds.values()];
  }
}

class Observed implements KindHistory {
  readonly cluster: string;
  readonly kind: string;
  readonly gaps: Stretch[] = [];
  readonly tracks: Track[] = [];
  observedFrom: number | undefined;
  last = Number.NEGATIVE_INFINITY;
  readonly #alive = new Map<string, Track>();
  readonly #versions = new Map<string, bigint>();
  #listing: { readonly gapStart: number; readonly objects: Map<string, SeenObject> } | undefined;

  constructor(cluster: string, kind: string) {
    this.cluster = cluster;
    this.kind = kind;
  }

  take(body: Exclude<JournalLine["body"], { type: "JOURNAL" }>, time: number): void {
    const before = this.last;
    const at = Math.max(time, before);
    this.last = at;
    switch (body.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        if (body.isList) this.#listed(before).set(body.object.metadata.uid, body.object);
        else if (this.observedFrom === undefined) this.#early(body, before);
        else this.#event(body, at);
        return;
      case "SYNCED":
        this.#synced({ uids: body.uids, before, at });
        return;
      case "BOOKMARK":
      case "LOST":
    }
  }

  #listed(before: number): Map<string, SeenObject> {
    this.#listing ??= { gapStart: before, objects: new Map() };
    return this.#listing.objects;
  }

  /** An event before the first list is complete changes the list. */
  #early({ type, object }: { readonly type: string; readonly object: SeenObject }, before: number): void {
    if (type === "DELETED") this.#listed(before).delete(object.metadata.uid);
    else this.#listed(before).set(object.metadata.uid, object);
  }

  #isStale({ metadata: { uid, resourceVersion } }: SeenObject): boolean {
    if (resourceVersion === undefined || !/^\d+$/.test(resourceVersion)) return false;
    const version = BigInt(resourceVersion);
    const seen = this.#versions.get(uid);
    if (seen !== undefined && version <= seen) return true;
    this.#versions.set(uid, version);
    return false;
  }

  #event(
    { type, object }: { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: SeenObject },
    at: number,
  ): void {
    if (this.#isStale(object)) return;
    const { uid } = object.metadata;
    const track = this.#alive.get(uid);
    const born = Math.max(createdAt(object), this.observedFrom ?? 0);
    if (type === "DELETED") {
      if (track === undefined) this.tracks.push({ states: [{ start: born, object }], end: at });
      else track.end = at;
      this.#alive.delete(uid);
      return;
    }
    if (track === undefined) this.#start(uid, { start: type === "ADDED" ? born : at, object });
    else track.states.push({ start: at, object });
  }

  #start(uid: string, state: State): void {
    const track = { states: [state] };
    this.tracks.push(track);
    this.#alive.set(uid, track);
  }

  #synced({ uids, before, at }: { uids: readonly string[] | undefined; before: number; at: number }): void {
    const { gapStart, objects } = this.#listing ?? { gapStart: before, objects: new Map<string, SeenObject>() };
    this.#listing = undefined;
    const existing = new Set(uids ?? objects.keys());
    if (this.observedFrom === undefined) {
      this.observedFrom = at;
      for (const [uid, object] of objects) {
        if (!existing.has(uid)) continue;
        this.#isStale(object);
        this.#start(uid, { start: Math.max(createdAt(object), at), object });
      }
      return;
    }
    if (at > gapStart) this.gaps.push({ start: gapStart, end: at });
    for (const [uid, track] of this.#alive) {
      if (existing.has(uid)) continue;
      track.end = gapStart;
      this.#alive.delete(uid);
    }
    for (const [uid, object] of objects) if (existing.has(uid)) this.#relisted(object, { gapStart, at });
  }

  #relisted(object: SeenObject, { gapStart, at }: { gapStart: number; at: number }): void {
    if (this.#isStale(object)) return;
    const { uid } = object.metadata;
    const track = this.#alive.get(uid);
    if (track === undefined) this.#start(uid, { start: Math.max(createdAt(object), gapStart), object });
    else track.states.push({ start: at, gapStart, object });
  }
}

function createdAt({ metadata: { creationTimestamp } }: SeenObject): number {
  const time = typeof creationTimestamp === "string" ? Date.parse(creationTimestamp) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
