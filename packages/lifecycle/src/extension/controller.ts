/** Reconciles ClusterExtensions: resolves the bundle, makes its revision, and reports how far the roll-out is. */
import { isApiError } from "@capstan/client";
import { setCondition } from "@capstan/model";
import type { Condition } from "@capstan/model";
import { requeue } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import type { CatalogPackage } from "@capstan/bundle";
import { ClusterCatalog } from "../kinds/cluster-catalog.ts";
import { ClusterExtension, type ClusterExtensionStatus } from "../kinds/cluster-extension.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import { type ReadObjects, bundleReader } from "./bundles.ts";
import { isSelected, selectedCatalogs } from "./catalog/selected.ts";
import { ExtensionError } from "./errors.ts";
import { type Install, installBundle } from "./install.ts";
import { type ExtensionRequest, type ExtensionResolution, resolveExtension } from "./resolve-extension.ts";
import { type RevisionFacts, type RevisionStates, revisionsOf, statesOf } from "./revision/states.ts";
import { aboutBundle, afterFailedResolution, deprecations, installed, progressing } from "./status.ts";
import type { ConditionDraft } from "./status.ts";

type ExtensionSync = Sync<ClusterExtension>;

const RETRY = 5_000;

/** The controller. */
export function extensionController(setting: ManagerSetting): Controller {
  const read = bundleReader(setting);
  return defineSync({
    name: "clusterextension",
    kind: ClusterExtension,
    sync: (sync) => reconcile(sync, { setting, read }),
  });
}

interface Means {
  readonly setting: ManagerSetting;
  readonly read: ReadObjects;
}

/** What a reconcile finds out. */
interface Finding {
  readonly states: RevisionStates;
  /** The package of the catalog; none without an answer of the catalogs. */
  readonly from?: CatalogPackage;
  /** Replaces what the revisions say about the progress. */
  readonly progress?: ConditionDraft;
  readonly retry?: boolean;
}

async function reconcile(sync: ExtensionSync, { setting, read }: Means): Promise<ReconcileResult> {
  const { object: extension } = sync;
  // Its revisions have it as owner, so the garbage collector deletes them and their objects.
  if (extension.metadata.deletionTimestamp !== undefined) return undefined;
  const revisions = revisionsOf(sync, extension.metadata.name);
  const states = statesOf(revisions);
  const resolution = resolveFor(sync, { states, setting });
  const finding = await act(sync, { revisions, states, resolution, setting, read });
  await report(sync, finding, setting);
  return finding.retry === true ? requeue(RETRY, { reason: finding.progress?.message ?? "tries again" }) : undefined;
}

/** The request of an extension. */
export function requestOf({ spec }: ClusterExtension): ExtensionRequest {
  const { packageName = "", version, channels, upgradeConstraintPolicy } = spec.source.catalog ?? {};
  return {
    package: packageName,
    ...(version === undefined ? {} : { version }),
    ...(channels === undefined ? {} : { channels }),
    ...(upgradeConstraintPolicy === undefined ? {} : { upgradeConstraintPolicy }),
  };
}

/** A catalog that cannot be read blocks no package that others offer. */
function resolveFor(
  { object, find }: ExtensionSync,
  { states, setting }: { readonly states: RevisionStates; readonly setting: ManagerSetting },
): ExtensionResolution {
  const all = selectedCatalogs(object, find(ClusterCatalog, { namespace: "*" }), setting.catalogs);
  const ready = all.filter(({ state }) => state === "ready");
  const request = requestOf(object);
  const isOffered = ready.some((each) => each.state === "ready" && each.catalog.packages.has(request.package));
  return resolveExtension(request, isOffered ? ready : all, states.installed?.bundle);
}

interface Act extends Means, Omit<Install, "extension" | "resolved" | "read" | "setting"> {
  readonly resolution: ExtensionResolution;
}

async function act(sync: ExtensionSync, { resolution, states, ...rest }: Act): Promise<Finding> {
  const { object: extension } = sync;
  if (resolution.type === "failed") return afterFailure(sync, { states, message: resolution.message });
  const { from, bundle } = resolution;
  try {
    const verdict = await installBundle({ extension, resolved: resolution, states, ...rest });
    if (verdict === undefined) return { states, from };
    return { states, from, progress: progressing({ type: "blocked", ...verdict }) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isExpected = error instanceof ExtensionError || isApiError(error) || "code" in error;
    if (!isExpected) throw error;
    const message = aboutBundle(bundle, error.message);
    if (error instanceof ExtensionError && (error.code === "InvalidConfiguration" || error.code === "Blocked")) {
      const reason = error.code === "Blocked" ? {} : { reason: error.code };
      return { states, from, progress: progressing({ type: "blocked", message, ...reason }) };
    }
    return { states, from, progress: progressing({ type: "retrying", message }), retry: true };
  }
}

function afterFailure(
  { object, find }: ExtensionSync,
  { states, message }: { readonly states: RevisionStates; readonly message: string },
): Finding {
  const current = states.installed?.bundle;
  // What is rolling out goes on without its catalog.
  if (current === undefined && states.rollingOut.length > 0) return { states };
  const verdict = afterFailedResolution({
    request: requestOf(object),
    ...(current === undefined ? {} : { installed: current }),
    catalogsExist: find(ClusterCatalog, { namespace: "*" }).some((each) => isSelected(object, each)),
    message,
  });
  if (verdict.type === "keep") return { states };
  return { states, progress: progressing(verdict), retry: true };
}

async function report({ object }: ExtensionSync, finding: Finding, setting: ManagerSetting): Promise<void> {
  const { states, from } = finding;
  const now = nowOf(setting.clock);
  const observedGeneration = object.metadata.generation ?? 0;
  const current = states.installed;
  const drafts: readonly ConditionDraft[] = [
    ...deprecations({
      request: requestOf(object),
      ...(from === undefined ? {} : { from }),
      ...(current === undefined ? {} : { installed: current.bundle.name }),
    }),
    ...mirrored(current, ["Available", "Progressing"]),
    ...mirrored(states.rollingOut.at(-1), ["Progressing"]),
    ...(finding.progress === undefined ? noProgress(states) : [finding.progress]),
    installedOf(states, finding),
  ];
  const conditions = drafts.reduce<readonly Condition[]>(
    (all, draft) => setCondition(all, { ...draft, observedGeneration }, now),
    object.status?.conditions ?? [],
  );
  const status: ClusterExtensionStatus = {
    conditions,
    ...(current === undefined ? {} : { install: { bundle: current.bundle } }),
    activeRevisions: activeRevisions(states),
  };
  await setting.cluster.changeStatus(ClusterExtension, { before: object, after: { ...object, status } });
}

/** A revision that has no condition yet has just been created. */
function noProgress({ installed: current, rollingOut }: RevisionStates): readonly ConditionDraft[] {
  const last = rollingOut.at(-1) ?? current;
  if (last?.conditions.some(({ type }) => type === "Progressing") === true) return [];
  const message = `Revision ${last?.bundle.version ?? ""} is rolling out.`.replace("  ", " ");
  return [progressing({ type: "rolling-out", message })];
}

function installedOf({ installed: current, rollingOut }: RevisionStates, { progress }: Finding): ConditionDraft {
  if (current !== undefined) return installed({ type: "installed", image: current.image });
  const last = rollingOut.at(-1);
  const isFailing =
    last?.conditions.some(({ type, reason }) => type === "Progressing" && reason === "Retrying") === true;
  // Without a condition the revision has just been made.
  const isRollingOut = last === undefined ? progress === undefined : !isFailing;
  return installed({ type: "absent", isRollingOut });
}

function mirrored(facts: RevisionFacts | undefined, types: readonly string[]): readonly ConditionDraft[] {
  return (facts?.conditions ?? [])
    .filter(({ type }) => types.includes(type))
    .map(({ type, status, reason, message }) => ({ type, status, reason: reason ?? "", message: message ?? "" }));
}

function activeRevisions({
  installed: current,
  rollingOut,
}: RevisionStates): NonNullable<ClusterExtensionStatus["activeRevisions"]> {
  const rolling = rollingOut.map(({ revision, conditions }) => ({
    name: revision.metadata.name,
    conditions: conditions.filter(({ type }) => type === "Available" || type === "Progressing"),
  }));
  return [...(current === undefined ? [] : [{ name: current.revision.metadata.name }]), ...rolling];
}
