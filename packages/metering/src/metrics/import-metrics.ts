/** Imports from metrics.k8s.io: polls pods and nodes; what lies between the windows is a gap. */
import type { Client } from "@capstan/client";
import type { Kind, KubeObject } from "@capstan/model";
import type { Book } from "../book/book.ts";
import { type Input, importUsage } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import { toUsage } from "../store/tables.ts";
import { formatInstant } from "../time/instant.ts";
import {
  type MeasuredLevel,
  type Measurement,
  metricsSource,
  nodeLevels,
  type Owner,
  podLevels,
  WindowEnds,
} from "./samples.ts";

/** How measurements are imported. */
export interface MetricsImport {
  readonly client: Client;
  readonly store: Store;
  readonly book: Book;
  readonly cluster: string;
  readonly now: number;
  readonly batch: number;
}

const measured = { group: "metrics.k8s.io", version: "v1beta1" };
const podMetrics: Kind<KubeObject & Measurement> = {
  ...measured,
  kind: "PodMetrics",
  plural: "pods",
  scope: "Namespaced",
};
const nodeMetrics: Kind<KubeObject & Measurement> = {
  ...measured,
  kind: "NodeMetrics",
  plural: "nodes",
  scope: "Cluster",
};
const pods: Kind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };
const nodes: Kind = { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" };

/** A first look goes back so far for windows that are stored. */
const lookBackMs = 3_600_000;

/** Imports what the cluster measured last. */
export async function importMetrics(options: MetricsImport): Promise<ImportResult> {
  const { client, store, book, cluster, now, batch } = options;
  const levels = (await measure(client)).filter(({ meter }) => hasMeter(book, meter));
  const ends = await storedEnds(store, { cluster, from: now - lookBackMs });
  const fresh = levels.filter((level) => ends.cut(level) !== undefined);
  const records = recordsOf(fresh, { ends, cluster });
  const result = await importUsage(records, { store, book, batch, source: metricsSource, now });
  // The same measurement again, or one inside of a former window.
  const known = levels.length - fresh.length;
  return { ...result, read: result.read + known, duplicate: result.duplicate + known };
}

/** A meter with a query is read from Prometheus. */
function hasMeter({ meters }: Pick<Book, "meters">, name: string): boolean {
  const meter = meters.get(name);
  return meter !== undefined && meter.prometheus === undefined;
}

async function measure(client: Client): Promise<readonly MeasuredLevel[]> {
  const all = { namespace: "*" } as { readonly namespace?: never };
  const [ofPods, ofNodes, podObjects, nodeObjects] = await Promise.all([
    Array.fromAsync(client.list(podMetrics, all)),
    Array.fromAsync(client.list(nodeMetrics, {})),
    Array.fromAsync(client.list(pods, all)),
    Array.fromAsync(client.list(nodes, {})),
  ]);
  const owners = new Map([...podObjects, ...nodeObjects].map((object) => [keyOf(object), ownerOf(object)]));
  return [
    ...ofPods.flatMap((pod) => podLevels(pod, owners.get(keyOf(pod)) ?? { uid: keyOf(pod), node: "" })),
    ...ofNodes.flatMap((node) => nodeLevels(node, owners.get(keyOf(node)) ?? { uid: keyOf(node), node: "" })),
  ];
}

function keyOf({ metadata: { namespace = "", name = "" } }: Pick<KubeObject, "metadata">): string {
  return `${namespace}/${name}`;
}

function ownerOf({ metadata, ...rest }: KubeObject): Owner {
  const spec: unknown = "spec" in rest ? rest.spec : undefined;
  const node = typeof spec === "object" && spec !== null && "nodeName" in spec ? spec.nodeName : undefined;
  return { uid: metadata.uid ?? "", node: typeof node === "string" ? node : "" };
}

async function storedEnds(
  store: Store,
  { cluster, from }: { readonly cluster: string; readonly from: number },
): Promise<WindowEnds> {
  const ends = new WindowEnds();
  for await (const rows of store.read("usage", { from })) {
    for (const row of rows) {
      const record = toUsage(row);
      if (record.source !== metricsSource || record.cluster !== cluster) continue;
      ends.note(seriesOf(record.id, cluster), record.end);
    }
  }
  return ends;
}

const seriesOf = (id: string, cluster: string): string => id.slice(cluster.length + 1, id.lastIndexOf("/"));

async function* recordsOf(
  levels: readonly MeasuredLevel[],
  { ends, cluster }: { readonly ends: WindowEnds; readonly cluster: string },
): AsyncIterable<Input> {
  for (const level of levels) {
    const { meter, series, end, amount, namespace, dimensions } = level;
    const start = ends.cut(level);
    if (start === undefined) continue;
    ends.note(series, end);
    const value = {
      id: `${cluster}/${series}/${end}`,
      meter,
      start: formatInstant(start),
      end: formatInstant(end),
      amount,
      cluster,
      ...(namespace !== "" && { namespace }),
      dimensions,
    };
    yield { where: `${series}@${formatInstant(end)}`, value };
  }
}
