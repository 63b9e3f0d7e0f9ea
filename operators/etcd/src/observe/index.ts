/** Looking at a cluster. */
export { observe, openReach, OWNS, READS } from "./observe.ts";
export type { ClusterContext, Lookout, Outside, Seen } from "./observe.ts";
export type { SeedSource } from "./seed-source.ts";
export type { ClusterObject, ClusterStatus } from "./known.ts";
export { Reach } from "./reach.ts";
export type { Connect } from "./reach.ts";
export { PATCHES } from "./versions.ts";
