/** Observes a cluster. */
export { observe, openMemberClients, ownedKinds, readKinds } from "./observe.ts";
export type { ClusterContext, ObserveEnvironment, Environment, ClusterObservation } from "./observe.ts";
export type { ClusterObject, ClusterStatus } from "./spec-and-status.ts";
export { MemberClients } from "./member-clients.ts";
export type { Connect } from "./member-clients.ts";
export { newestPatches } from "./versions.ts";
