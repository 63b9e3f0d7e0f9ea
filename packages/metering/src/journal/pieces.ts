/** From histories of objects to pieces of usage, tenants of namespaces, and stretches without observation. */
import type { Book, Meter } from "../book/book.ts";
import { parseDimensions } from "../engine/dimensions.ts";
import type { Piece, Tenancy } from "../engine/piece.ts";
import { type Stretch, complement, join } from "../engine/stretch.ts";
import { type Level, levelOf } from "./level.ts";
import type { SeenObject } from "./line.ts";
import type { KindHistory, Track } from "./replay.ts";

/** What reading levels needs beside the histories. */
export interface LevelContext {
  readonly hash: (value: string) => string;
  readonly warn?: (message: string) => void;
}

/** The kind that a meter counts, as histories name it. */
export function kindOf({ objects }: Meter): string {
  return objects === undefined ? "" : `${objects.apiVersion}/${objects.kind}`;
}

/** The pieces of one meter. */
export function* objectPieces(meter: Meter, histories: readonly KindHistory[], context: LevelContext): Iterable<Piece> {
  for (const history of histories) {
    if (history.kind !== kindOf(meter)) continue;
    for (const track of history.tracks) yield* trackPieces(meter, { track, history }, context);
  }
}

interface Run {
  readonly start: number;
  readonly level: Level;
}

interface Tracked {
  readonly track: Track;
  readonly history: KindHistory;
}

function* trackPieces(meter: Meter, { track, history }: Tracked, context: LevelContext): Iterable<Piece> {
  const [first] = track.states;
  if (first === undefined) return;
  const level = levelReader(meter, { track, history }, context);
  const piece = pieceMaker(meter, { track, history });
  let run: Run = { start: first.start, level: level(first.object) };
  for (const { start, gapStart, object } of track.states.slice(1)) {
    const next = level(object);
    if (next.amount === run.level.amount && next.dimensions === run.level.dimensions) continue;
    yield piece(run, gapStart ?? start);
    if (gapStart !== undefined) {
      const least = next.amount < run.level.amount ? next.amount : run.level.amount;
      yield piece({ start: Math.max(gapStart, run.start), level: { ...run.level, amount: least } }, start);
    }
    run = { start, level: next };
  }
  yield piece(run, track.end ?? history.last);
}

/** Reads levels of one object and warns once. */
function levelReader(meter: Meter, { track, history }: Tracked, context: LevelContext): (object: SeenObject) => Level {
  let hasWarned = false;
  const { namespace = "", name = "" } = track.states[0]?.object.metadata ?? {};
  return (object) => {
    const found = levelOf(meter, object, context.hash);
    if (found.warning === undefined || hasWarned) return found;
    hasWarned = true;
    context.warn?.(
      `${history.kind} ${namespace === "" ? name : `${namespace}/${name}`}: ${meter.name}: ${found.warning}`,
    );
    return found;
  };
}

function pieceMaker(meter: Meter, { track, history }: Tracked): (run: Run, end: number) => Piece {
  const { uid = "", namespace = "", name = "" } = track.states[0]?.object.metadata ?? {};
  const owner = history.kind === "v1/Namespace" ? name : namespace;
  return ({ start, level: { amount, dimensions } }, end) => ({
    kind: "level",
    meter: meter.name,
    start,
    end,
    amount,
    tenant: "",
    namespace: owner,
    cluster: history.cluster,
    dimensions: parseDimensions(dimensions),
    id: uid,
  });
}

/** When a meter was not observed: before the first list, in gaps, after the watermark; in any cluster. */
export function objectGaps(
  meter: Meter,
  histories: readonly KindHistory[],
  window: { readonly from: number; readonly to: number },
): Stretch[] {
  const own = histories.filter(({ kind }) => kind === kindOf(meter));
  if (own.length === 0) return [{ start: window.from, end: window.to }];
  return join(
    own.flatMap(({ observedFrom = Number.POSITIVE_INFINITY, last, gaps }) => [
      ...complement([{ start: observedFrom, end: last }], window),
      ...gaps.map(({ start, end }) => ({ start: Math.max(start, window.from), end: Math.min(end, window.to) })),
    ]),
  );
}

interface Owned {
  readonly start: number;
  readonly end: number;
  readonly tenant: string;
}

/** The tenants of namespaces over time, by the label of the Namespace object. */
export function tenancyOf({ tenantLabel }: Pick<Book, "tenantLabel">, histories: readonly KindHistory[]): Tenancy {
  const byName = new Map<string, Owned[]>();
  const put = (key: string, owned: readonly Owned[]): void =>
    void byName.set(key, [...(byName.get(key) ?? []), ...owned]);
  for (const { kind, cluster, tracks } of histories) {
    if (kind !== "v1/Namespace") continue;
    for (const track of tracks) {
      const name = track.states[0]?.object.metadata.name ?? "";
      const owned = ownedBy(track, { tenantLabel, name });
      put(`${cluster}\u0000${name}`, owned);
      // Records without a cluster mean the namespace of that name wherever it is.
      if (cluster !== "") put(`\u0000${name}`, owned);
    }
  }
  for (const owned of byName.values()) owned.sort((a, b) => a.start - b.start);
  const of = ({ cluster, namespace }: { cluster: string; namespace: string }): readonly Owned[] =>
    byName.get(`${cluster}\u0000${namespace}`) ?? [];
  const ends = [...byName.values()].flat().flatMap(({ start, end }) => [start, end]);
  return {
    instants: [...new Set(ends)].filter((instant) => Number.isFinite(instant)),
    tenantAt: (piece, instant) =>
      of(piece).findLast(({ start, end }) => start <= instant && instant < end)?.tenant ?? piece.namespace,
    changes: ({ start, end, ...piece }) =>
      [...new Set(of(piece).flatMap((owned) => [owned.start, owned.end]))]
        .filter((instant) => instant > start && instant < end)
        .sort((a, b) => a - b),
  };
}

function ownedBy(track: Track, { tenantLabel, name }: { tenantLabel: string; name: string }): Owned[] {
  return track.states.map(({ start, object }, at) => {
    const label = object.metadata.labels?.[tenantLabel];
    return {
      start,
      end: track.states[at + 1]?.start ?? track.end ?? Number.POSITIVE_INFINITY,
      tenant: label === undefined || label === "" ? name : label,
    };
  });
}
