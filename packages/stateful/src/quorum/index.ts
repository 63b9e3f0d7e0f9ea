/** The topology of applications that elect their leader and keep their own list of members: what is observed, and the decision. */
export { decide as decideQuorum } from "./decide.ts";
export { isRecovering } from "./recovery.ts";
export { hasTemplateFailed, isTemplateRejected, targetVersion } from "./target-version.ts";
export { quorumOf, serialOf, viewOf } from "./view.ts";
export type { Member as QuorumMember, View as QuorumView } from "./view.ts";
export type {
  Action as QuorumAction,
  Boot,
  DesiredState,
  LastGoodTemplate,
  ListedMember,
  Membership,
  MemberStatus,
  NewRecovery,
  NextVersion,
  Observation as QuorumObservation,
  ObservedPod,
  ObservedVolume,
  QuorumApplication,
  RecordedRecovery,
  RecordedState,
  RecordedUpdate,
  RefusalReason,
  SkippedBackup,
  SnapshotState,
} from "./contract.ts";
