/** The topology of applications that elect their leader and keep their own list of members: what is observed, and the decision. */
export { compareData } from "./compare/compare.ts";
export type { CompareFacts, Comparison as DataComparison, ComparisonResult, Uncompared } from "./compare/compare.ts";
export { combineRounds, withData } from "./compare/corruption.ts";
export { disagreementKey } from "./compare/disagreement.ts";
export { differingAmong } from "./compare/hashes.ts";
export type { Hashed as HashedMember } from "./compare/hashes.ts";
export { reasonsToCompare } from "./compare/reasons.ts";
export type { CompareReasonFacts } from "./compare/reasons.ts";
export type { HashReader, MemberHash, MemberReports } from "./compare/reports.ts";
export { compareSurvivors } from "./compare/survivors.ts";
export type { SurvivorComparison, SurvivorFacts } from "./compare/survivors.ts";
export { Stopwatch } from "./stopwatch.ts";
export type { RecordedSightings, Sightings } from "./stopwatch.ts";
export { backupsOf } from "./backups.ts";
export type { BackupObservation, FoundBackup, FoundRestore, ObservedBackups, SeedSource } from "./backups.ts";
export { forksAfter, forksOf } from "./forks.ts";
export type { Forked } from "./forks.ts";
export { recordedFor } from "./recorded.ts";
export type { RecordedOf, RecordingBackup } from "./recorded.ts";
export { describeAction, failureOf, healthOf, quorumConditions, roleOf } from "./conditions.ts";
export type { ConditionState as QuorumConditionState, Failure as QuorumFailure } from "./conditions.ts";
export { decide as decideQuorum } from "./decide.ts";
export { mergeReportedMembers, rejectMemberList } from "./member-lists.ts";
export type { RecordedMembers, ReportedMembers } from "./member-lists.ts";
export { observeMemberPod, observeMemberVolume } from "./pods.ts";
export type { MemberPodContext, MemberPodState } from "./pods.ts";
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
