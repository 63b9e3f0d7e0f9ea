/** What metrics.k8s.io measured, as usage records: a value with its window is a level over that window. Pure. */
import { parseDuration, parseInstant } from "../time/instant.ts";

/** The source of the records. */
export const metricsSource = "metrics";

/** An object of metrics.k8s.io: of a pod, with containers, or of a node, with usage. */
export interface Measurement {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly usage?: Usage;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Usage }[];
}

/** Quantities by resource. */
export interface Usage {
  readonly cpu?: string;
  readonly memory?: string;
}

/** The object that was measured. */
export interface Owner {
  readonly uid: string;
  /** The node of a pod. */
  readonly node: string;
}

/** A measured value before it is a record. */
export interface MeasuredLevel {
  readonly meter: string;
  /** Meter, uid and container. */
  readonly series: string;
  readonly start: number;
  readonly end: number;
  readonly amount: string;
  readonly namespace: string;
  readonly dimensions: { readonly [name: string]: string };
}

/** The length of a window, as Go prints durations: `15.5s`, `1m0.25s`. */
export function windowOf(text: string): number | undefined {
  const whole = parseDuration(text);
  if (whole !== undefined) return whole;
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (found === null || text === "") {
    const small = /^(\d+(?:\.\d+)?)ms$/.exec(text);
    return small === null ? undefined : Math.round(Number(small[1]));
  }
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Math.round(Number(seconds) * 1000);
}

/** The levels of a pod, container by container. */
export function podLevels(pod: Measurement, { uid, node }: Owner): readonly MeasuredLevel[] {
  const { name = "", namespace = "" } = pod.metadata;
  return (pod.containers ?? []).flatMap(({ name: container = "", usage = {} }) =>
    levelsOf(pod, { prefix: "pod", identity: `${uid}/${container}`, usage }).map((level) => ({
      ...level,
      namespace,
      dimensions: { pod: name, container, node },
    })),
  );
}

/** The levels of a node. */
export function nodeLevels(node: Measurement, { uid }: Owner): readonly MeasuredLevel[] {
  const { name = "" } = node.metadata;
  return levelsOf(node, { prefix: "node", identity: uid, usage: node.usage ?? {} }).map((level) => ({
    ...level,
    namespace: "",
    dimensions: { node: name },
  }));
}

interface Part {
  readonly prefix: "pod" | "node";
  readonly identity: string;
  readonly usage: Usage;
}

function levelsOf(
  { timestamp = "", window = "" }: Measurement,
  { prefix, identity, usage }: Part,
): readonly Omit<MeasuredLevel, "namespace" | "dimensions">[] {
  const end = parseInstant(timestamp);
  const length = windowOf(window);
  if (end === undefined || length === undefined || length <= 0) return [];
  return (["cpu", "memory"] as const).flatMap((resource) => {
    const amount = usage[resource];
    const meter = `${prefix}.${resource}.usage`;
    return amount === undefined ? [] : [{ meter, series: `${meter}/${identity}`, start: end - length, end, amount }];
  });
}

/** Where the windows of a series ended so far. */
export class WindowEnds {
  readonly #ends = new Map<string, number>();

  /** Notes a window that is stored. */
  note(series: string, end: number): void {
    this.#ends.set(series, Math.max(end, this.#ends.get(series) ?? end));
  }

  /** The part of a window that no former one covers; undefined if there is none. */
  cut({ series, start, end }: Pick<MeasuredLevel, "series" | "start" | "end">): number | undefined {
    const from = Math.max(start, this.#ends.get(series) ?? start);
    return from < end ? from : undefined;
  }
}
