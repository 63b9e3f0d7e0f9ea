/** Parts of the library for operators of databases with a topology that it does not have: backups, their agents, and certificates. */
export { readMounted, openCatalog } from "./backup/agent/open-store.ts";
export type { AgentSurroundings } from "./backup/agent/open-store.ts";
export { runJobOfPod } from "./backup/agent/main.ts";
export type { AgentProgram } from "./backup/agent/main.ts";
export { STORE_PATHS } from "./backup/agent/job.ts";
export type { AgentResult, StoreJob, StoreWork } from "./backup/agent/job.ts";
export { formatResult, parseResult, summarize } from "./backup/agent/result.ts";
export { canonical } from "./backup/canonical.ts";
export { findBackup, listBackups, newestByTime, readBackup, readManifest } from "./backup/catalog.ts";
export type { Catalog, FindOptions, RecordedBackup, Refused, WantedBackup } from "./backup/catalog.ts";
export type { Part as StreamSize } from "./backup/content.ts";
export { seeJob } from "./backup/job-pods.ts";
export type { SeenJob } from "./backup/job-pods.ts";
export { formatManifest, LARGEST_MANIFEST } from "./backup/manifest-format.ts";
export type { ManifestFormat, NameParts, StoredManifest } from "./backup/manifest-format.ts";
export { parseMoment } from "./backup/manifest.ts";
export {
  agentContainer,
  agentPodSpec,
  CONTAINER_SECURITY,
  folderPart,
  mountsOf,
  secretPart,
  storeParts,
  storeWork,
  toStoreJob,
} from "./backup/parts.ts";
export type { AgentContainer, AgentPodOptions, Part } from "./backup/parts.ts";
export type { SecretKey, StoreAccess, StoreSpec } from "./backup/resource.ts";
export { prune, toRemove } from "./backup/retention.ts";
export type { Pruned, PruneOptions, Retention } from "./backup/retention.ts";
export { checkDigest, digestOf, seal } from "./backup/seal.ts";
export type { Trust } from "./backup/seal.ts";
export { manifestChecks } from "./backup/shape.ts";
export { writeBackup } from "./backup/write-backup.ts";
export type { WriteBackupOptions } from "./backup/write-backup.ts";
export { merge, mergeTrees } from "./pods/merge.ts";
export { judgeGiven } from "./tls/given.ts";
export type { GivenInput } from "./tls/given.ts";
export { keepLeaf, readLeaf } from "./tls/leaf.ts";
export type { LeafInput } from "./tls/leaf.ts";
export { lifetimeOf } from "./tls/plan.ts";
export type { TlsState } from "./tls/plan.ts";
export { readTexts, toData } from "./tls/secret.ts";
export type { Texts } from "./tls/secret.ts";
export {
  advance,
  dueTime,
  formatSuccession,
  nextChange,
  openSigner,
  parseSuccession,
  trustOf,
} from "./tls/succession.ts";
export type { Succession, SuccessionInput } from "./tls/succession.ts";
export { AgentImageError, resolveAgentImage } from "./agent-image.ts";
