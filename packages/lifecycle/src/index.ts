/** Installs, upgrades and removes operators with the API kinds of the Operator Lifecycle Manager. */

// The manager.
export { lifecycleManager, managerName } from "./manager/manager.ts";
export type {
  AccountReference,
  Discovery,
  ManagerSetting,
  OtherClusterConnection,
  PullReference,
} from "./manager/setting.ts";
export { BaseError, installBase } from "./base/install.ts";
export type { BaseOptions } from "./base/install.ts";
export { deployedName, managerObjects } from "./deploy/objects.ts";
export type { DeployedObject, ManagerPlacement } from "./deploy/objects.ts";
export type { ManagerRule } from "./deploy/rules.ts";
export { clusterOf } from "./cluster/cluster.ts";
export type { Change, Cluster, NewObject, Selection as ObjectSelection } from "./cluster/cluster.ts";
export { createCatalogStore } from "./catalog-source/store.ts";
export type { CatalogOrigin, CatalogState, CatalogStore, ReadCatalog, ReadOrigin } from "./catalog-source/store.ts";
export { extrasKey, readConfigMapCatalog } from "./catalog-source/config-map.ts";
export type { BundleExtras } from "./catalog-source/config-map.ts";
export { CatalogError } from "./catalog-source/errors.ts";
export type { CatalogErrorCode } from "./catalog-source/errors.ts";
export type { Manifest } from "./csv/permissions.ts";

// The kinds.
export { olmDefinitions } from "./definitions/definitions.ts";
export { CatalogSource } from "./kinds/catalog-source.ts";
export { ClusterServiceVersion } from "./kinds/csv.ts";
export { InstallPlan } from "./kinds/install-plan.ts";
export { OLMConfig } from "./kinds/olm-config.ts";
export { OperatorCondition } from "./kinds/operator-condition.ts";
export { OperatorGroup } from "./kinds/operator-group.ts";
export { Operator } from "./kinds/operator.ts";
export { ClusterCatalog } from "./kinds/cluster-catalog.ts";
export { ClusterExtension } from "./kinds/cluster-extension.ts";
export { ClusterExtensionRevision } from "./kinds/cluster-extension-revision.ts";
export { Subscription } from "./kinds/subscription.ts";

// PackageManifests.
export { answerPackageRequest } from "./package-manifest/answer.ts";
export type { PackageApi, PackageRequest, PackageResponse } from "./package-manifest/answer.ts";
export { findPackages } from "./package-manifest/find.ts";
export type { PackageQuery, PackageSources } from "./package-manifest/find.ts";
export type { ManifestChannel, PackageManifest } from "./package-manifest/manifest.ts";
export type { CsvDescription } from "./package-manifest/description.ts";
export { packageServerNames, registerPackageServer, unregisterPackageServer } from "./package-manifest/register.ts";
export type { PackagePlace } from "./package-manifest/register.ts";

// Resolution.
export type {
  CatalogReference,
  CatalogSnapshot,
  Conflict,
  InstalledOperator,
  RequestedSubscription,
  ResolutionInput,
  ResolutionResult,
  Selection,
} from "./resolve/resolution.ts";
export { toInput as toResolutionInput } from "./subscription/input.ts";
export type { Question as ResolutionQuestion } from "./subscription/input.ts";
export { generatedSubscriptionName, resolve } from "./resolve/resolve.ts";
export { resolveIndependently } from "./resolve/independent.ts";
export type { FailedResolution, IndependentResult } from "./resolve/independent.ts";
export { toInstalledOperators } from "./resolve/installed.ts";
export type { DescribedApi, ExistingCsv } from "./resolve/installed.ts";
export { ResolveError } from "./resolve/error.ts";
export type { ResolveErrorCode } from "./resolve/error.ts";
export { remediesFor, why } from "./resolve/why.ts";
export type { Explanation } from "./resolve/why.ts";
export { whatif } from "./resolve/whatif.ts";
export type { Outcome, ProposedChange } from "./resolve/whatif.ts";
export { modesFor } from "./resolve/cluster.ts";
export type { ClusterFacts, ExistingCrd } from "./resolve/cluster.ts";

// ClusterExtensions.
export { resolveExtension } from "./extension/resolve-extension.ts";
export type {
  ExtensionRequest,
  ExtensionResolution,
  InstalledBundle,
  SelectedCatalog,
} from "./extension/resolve-extension.ts";
export { aboutBundle, afterFailedResolution, deprecations, installed, progressing } from "./extension/status.ts";
export type { ConditionDraft, InstallState, Progress } from "./extension/status.ts";
export { readVersionRange } from "./extension/version-range.ts";
export type { RangeReading } from "./extension/version-range.ts";
export { phaseNames, toPhases } from "./extension/phases.ts";
export type { Phase, PhaseName } from "./extension/phases.ts";
export { defaultProbes, unreadyReasons } from "./extension/probes.ts";
export type { Assertion, Probe } from "./extension/probes.ts";
export { decideTakeover, effectiveProtection } from "./extension/collision.ts";
export type { CollisionProtection, Takeover } from "./extension/collision.ts";

// Plans that can be read before they run.
export { planReport } from "./plan/report.ts";
export { previewName, previewPlan } from "./plan/preview.ts";
export type { PreviewOptions } from "./plan/preview.ts";
export type { PlanMeans, PlannedCrd, PlannedObject, PlanReport } from "./plan/report.ts";
export type { FieldDifference } from "./plan/differences.ts";
export type { Permission, PermissionChange } from "./plan/permissions.ts";
export type { ObjectVerdict } from "./rollback/stored.ts";
export { rollBackExtension } from "./rollback/extension.ts";
export type { RollbackResult } from "./rollback/extension.ts";
export { rollBackSubscription } from "./rollback/request.ts";
export type { SubscriptionKey } from "./rollback/request.ts";

// Approval policies.
export { hasPolicy, readPolicy } from "./policy/annotations.ts";
export {
  afterClusterAnnotation,
  afterSoakAnnotation,
  approvedVersionAnnotation,
  minAgeAnnotation,
  versionsAnnotation,
  windowAnnotation,
} from "./policy/annotations.ts";
export type { Policy } from "./policy/annotations.ts";
export { withoutUnapproved } from "./policy/candidates.ts";
export { heldBundles, newerBundles } from "./policy/decide.ts";
export type { Window } from "./policy/window.ts";

// Fleets.
export { rollOut } from "./fleet/roll-out.ts";
export type {
  ClusterProgress,
  FleetCalls,
  FleetCluster,
  FleetResult,
  FleetSubscription,
  Ring,
  RollOutOptions,
} from "./fleet/roll-out.ts";

// Uninstallation.
export { planRemoval } from "./uninstall/removal.ts";
export type { DataChoice, KeptCrd, Removal, RemovalTarget, RemovedResource } from "./uninstall/removal.ts";
export { formatResource, removeAll, RemovalError } from "./uninstall/remove.ts";
export type { RemoveOptions } from "./uninstall/remove.ts";
export { findOrphans } from "./uninstall/orphans.ts";
export type { Orphan } from "./uninstall/orphans.ts";

// The safety of CRD upgrades.
export { checkCrdUpgrade, formatCrdFinding, formatCrdFindings } from "./preflight/crd-upgrade.ts";
export type { CrdFinding } from "./preflight/crd-upgrade.ts";
