/** Day-two operations for operators of databases: an author describes the application, the library runs it. */
export { application, fencedFollowersNeeded } from "./application.ts";
export type {
  Application,
  Backups,
  Comparison,
  ConnectTarget,
  CopyScanner,
  Dial,
  LogPiece,
  MemberInput,
  MemberProgram,
  MemberReport,
  PrimaryAndReplicas,
  SettingClass,
  Settings,
  Upstream,
} from "./application.ts";
export type { Accounts, DatabaseAccount, Grant, UserAccount } from "./accounts/accounts.ts";
export { monitoringOf } from "./monitoring/monitoring.ts";
export type { AlertFacts, Monitoring, PanelFacts, ReasonFacts } from "./monitoring/monitoring.ts";
export { stateful } from "./stateful.ts";
export type { Stateful, StatefulOptions } from "./stateful.ts";
export type { ClusterKind, ClusterObject, ClusterSpec, ClusterStatus, TlsSpec } from "./cluster/resource.ts";
export { agentImageFrom } from "./agent-image.ts";
export type { AgentImage } from "./agent-image.ts";
export { runAsAgent } from "./backup/agent/main.ts";
export type { BackupKind } from "./backup/resource.ts";
export type { RestoreKind } from "./backup/restore-resource.ts";
export type { Environment } from "./observe/observe.ts";
export { NO_DATA_EXIT } from "./observe/pods.ts";
export { compress, decompress } from "./backup/compression.ts";
export type { Compression } from "./backup/compression.ts";
export { decrypt, encrypt, keyPrint, manifestKey, parseKey } from "./backup/encryption.ts";
export type { StreamKey } from "./backup/encryption.ts";
export { BackupError } from "./backup/errors.ts";
export type { BackupErrorCode } from "./backup/errors.ts";
export { openDirectory, openS3, readUpTo, readWhole, StoreError } from "./store/index.ts";
export type { S3Options, Store, StoreCall, StoredObject, StoreErrorCode } from "./store/index.ts";
