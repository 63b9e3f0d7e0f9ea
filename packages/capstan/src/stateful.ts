/** Day-two operations for operators of databases: application adapters, and the kinds and controllers made from them. */
export { application, fencedFollowersNeeded, NO_DATA_EXIT, stateful } from "@capstan/stateful";
export type {
  Application,
  ClusterKind,
  ClusterObject,
  ClusterSpec,
  ClusterStatus,
  Comparison,
  ConnectTarget,
  Dial,
  Environment,
  MemberInput,
  MemberProgram,
  MemberReport,
  PrimaryAndReplicas,
  SettingClass,
  Settings,
  Stateful,
  StatefulOptions,
  Upstream,
} from "@capstan/stateful";
