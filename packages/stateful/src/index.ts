/** Day-two operations for operators of databases: an author describes the application, the library runs it. */
export { application, fencedFollowersNeeded } from "./application.ts";
export type {
  Application,
  Comparison,
  ConnectTarget,
  Dial,
  MemberInput,
  MemberProgram,
  MemberReport,
  PrimaryAndReplicas,
  SettingClass,
  Settings,
  Upstream,
} from "./application.ts";
export { stateful } from "./stateful.ts";
export type { Stateful, StatefulOptions } from "./stateful.ts";
export type { ClusterKind, ClusterObject, ClusterSpec, ClusterStatus } from "./cluster/resource.ts";
export type { Environment } from "./observe/observe.ts";
export { NO_DATA_EXIT } from "./observe/pods.ts";
