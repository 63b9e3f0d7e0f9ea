/** The decision of the operator: the quorum topology, with what it needs to know of etcd. */
export {
  decideQuorum as decide,
  hasTemplateFailed,
  isRecovering,
  quorumOf,
  serialOf,
  targetVersion,
  viewOf,
} from "capstan/stateful/quorum";
export type { QuorumMember as Member, QuorumView as View } from "capstan/stateful/quorum";
export { etcd } from "./etcd.ts";
export { compareVersions, minorOf } from "./versions.ts";
