/** Series of Prometheus as metering sees them: the tenant or namespace of one, its dimensions, its identity, and which replica answers. */
import { createHash } from "node:crypto";
import type { Meter, PrometheusSource } from "../book/book.ts";
import { compareKeys, compareText } from "../number/order.ts";
import { canonicalDimensions } from "../record/parse-record.ts";
import type { Series } from "./server.ts";

/** A series without its replica. */
export interface Owned {
  /** Equal for equal labels without those of replicas. */
  readonly identity: string;
  readonly tenant: string;
  readonly namespace: string;
  readonly cluster: string;
  /** Canonical JSON. */
  readonly dimensions: string;
}

/** A series of one replica. */
export interface Replica {
  readonly owned: Owned;
  readonly replica: readonly string[];
  readonly samples: Series["samples"];
}

/** What reading series needs. */
export interface SeriesContext {
  readonly meter: Meter;
  readonly source: PrometheusSource;
  readonly hash: (value: string) => string;
}

/** The replicas of each identity, smallest replica first. */
export function replicasOf(series: readonly Series[], context: SeriesContext): readonly (readonly Replica[])[] {
  const { replicaLabels } = context.source;
  const replicas = series.map(({ labels, samples }) => ({
    owned: ownedOf(labels, context),
    replica: replicaLabels.map((name) => labels[name] ?? ""),
    samples,
  }));
  const groups = [...Map.groupBy(replicas, ({ owned }) => owned.identity).values()];
  return groups.map((members) => members.toSorted((a, b) => compareKeys(a.replica, b.replica)));
}

function ownedOf(labels: Series["labels"], { meter, source, hash }: SeriesContext): Owned {
  const own = Object.entries(labels).filter(([name]) => !source.replicaLabels.includes(name));
  const { tenant = "tenant", namespace = "namespace", cluster = "cluster", ...dimensions } = source.dimensions;
  const pairs = Object.entries(dimensions).map(([name, label]) => {
    const value = labels[label] ?? "";
    return [name, meter.hash.includes(name) && value !== "" ? hash(value) : value] as const;
  });
  const text = JSON.stringify([meter.name, own.toSorted(([a], [b]) => compareText(a, b))]);
  return {
    // A keyed hash where labels must not be found again.
    identity: createHash("sha256")
      .update(meter.hash.length > 0 ? hash(text) : text)
      .digest("hex")
      .slice(0, 32),
    tenant: labels[tenant] ?? "",
    namespace: labels[namespace] ?? "",
    cluster: labels[cluster] ?? "",
    dimensions: canonicalDimensions(pairs),
  };
}

/** NaN and infinities are no samples. */
export function isSample({ value }: { readonly value: string }): boolean {
  return !/^[+-]?(?:nan|inf|infinity)$/i.test(value);
}

/** An owner as the text of a column. */
export function formatOwned({ identity, tenant, namespace, cluster, dimensions }: Owned): string {
  return JSON.stringify([identity, tenant, namespace, cluster, dimensions]);
}

/** An owner from the text of a column. */
export function parseOwned(text: string): Owned {
  // Only formatOwned writes the column.
  const [identity, tenant, namespace, cluster, dimensions] = JSON.parse(text) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { identity, tenant, namespace, cluster, dimensions };
}
