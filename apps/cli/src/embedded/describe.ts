/** Describes a cluster in a few words. */
import type { ClusterRecord } from "./record.ts";

/** `1 node and real pods`. */
export function describe({ nodes, pods }: Pick<ClusterRecord, "nodes" | "pods">): string {
  return `${nodes} ${nodes === 1 ? "node" : "nodes"} and ${pods} pods`;
}
