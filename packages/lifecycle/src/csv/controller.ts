/** Reconciles ClusterServiceVersions: the finalizer, one step of the state machine, copies and permissions in the target namespaces. */
import { Deployment } from "@capstan/kinds/apps/v1";
import { isApiError } from "@capstan/client";
import { Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { requeue } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { serverMessage } from "../cluster/server-message.ts";
import { serviceAccountOf } from "../group/service-account.ts";
import { providedApisAnnotation } from "../group/intersection.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { CsvStatus } from "../kinds/csv.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { formatMilliseconds, nowOf } from "../manager/time.ts";
import { cleanUp, finalizer } from "./clean-up.ts";
import { syncCopies, syncCopy } from "./copies.ts";
import { decide } from "./decide.ts";
import { InstallError } from "./errors.ts";
import { install } from "./install.ts";
import { CERTIFICATE_DAYS } from "./install-certificates.ts";
import { configOf, observe } from "./observe.ts";
import { setPhase } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { isCopied } from "./replacement.ts";
import type { CsvAction, Seen } from "./seen.ts";
import { ensureUserRoles } from "./user-roles.ts";
import { abandonedConfigurations } from "./webhooks.ts";

type CsvSync = Sync<ClusterServiceVersion>;

/** The controller. */
export function csvController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "clusterserviceversion",
    kind: ClusterServiceVersion,
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: CsvSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object: csv } = sync;
  const { cluster } = setting;
  if (csv.metadata.deletionTimestamp !== undefined) return cleanUp(csv, sync, cluster);
  if (isCopied(csv)) return syncCopy(csv, sync, cluster);
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) {
    const metadata = { ...csv.metadata, finalizers: [...finalizers, finalizer] };
    // The original writes the whole object, in which this field always stands.
    const spec = { cleanup: { enabled: false }, ...csv.spec };
    await cluster.change(ClusterServiceVersion, { before: csv, after: { ...csv, metadata, spec } });
    return undefined;
  }
  if (csv.status?.reason === "InstallComponentFailedNoRetry") return retryWhenAllowed(sync, setting);
  for (const { kind, name, uid } of abandonedConfigurations(csv, sync)) {
    await cluster.remove(kind, { namespace: "", name, uid });
  }
  const seen = await observe(csv, { reader: sync, discovery: setting.discovery, now: setting.clock.wall() });
  const result = await act(decide(seen), { seen, sync, setting });
  await syncCopies(csv, { sync, setting });
  return result;
}

/** What the service account could not do is tried again when its roles or the account of the group change. */
async function retryWhenAllowed(
  { object: csv, find, triggers }: CsvSync,
  { cluster, clock }: ManagerSetting,
): Promise<undefined> {
  const { namespace = "" } = csv.metadata;
  find(Role, { namespace });
  find(RoleBinding, { namespace });
  find(OperatorGroup, { namespace });
  if (!triggers.some(({ kind, relation }) => relation === "read" && RETRYING.has(kind))) return undefined;
  const phase: Phase = {
    phase: "Pending",
    reason: "DetectedClusterChange",
    message: "Cluster resources changed state",
  };
  const status = setPhase(csv.status, phase, nowOf(clock));
  await cluster.changeStatus(ClusterServiceVersion, { before: csv, after: { ...csv, status } });
  return undefined;
}

const RETRYING: ReadonlySet<string> = new Set(["Role", "RoleBinding", "OperatorGroup"]);

interface Acting {
  readonly seen: Seen;
  readonly sync: CsvSync;
  readonly setting: ManagerSetting;
}

async function act(action: CsvAction, acting: Acting): Promise<ReconcileResult> {
  const { seen, sync, setting } = acting;
  const { csv } = seen;
  const { cluster } = setting;
  switch (action.do) {
    case "wait":
      return action.after === undefined ? undefined : requeue(action.after, { reason: "checks again" });
    case "annotate":
      return annotate(action, acting);
    case "set-provided-apis":
      return setProvidedApis(action, acting);
    case "phase":
      return enter(action, acting);
    case "install":
      return installAndReport(acting);
    case "keep-user-roles":
      await ensureUserRoles(csv, { reader: sync, cluster });
      return undefined;
    case "delete":
      await cluster.remove(ClusterServiceVersion, { namespace: csv.metadata.namespace ?? "", name: csv.metadata.name });
      return undefined;
    default:
      return action satisfies never;
  }
}

type ActionOf<D extends CsvAction["do"]> = Extract<CsvAction, { readonly do: D }>;

async function annotate({ annotations, phase }: ActionOf<"annotate">, acting: Acting): Promise<undefined> {
  const known = acting.seen.csv.metadata.annotations;
  const written = await changeMetadata(acting, { annotations: { ...known, ...annotations } });
  if (phase !== undefined) await writePhase({ ...acting, csv: written }, phase, {});
  return undefined;
}

async function setProvidedApis(
  { group, annotation }: ActionOf<"set-provided-apis">,
  { setting }: Acting,
): Promise<undefined> {
  const annotations = { ...group.metadata.annotations, [providedApisAnnotation]: annotation };
  const after = { ...group, metadata: { ...group.metadata, annotations } };
  await setting.cluster.change(OperatorGroup, { before: group, after });
  return undefined;
}

async function enter(action: ActionOf<"phase">, acting: Acting): Promise<ReconcileResult> {
  const { requirements } = action;
  const hasStatuses = requirements !== undefined && "statuses" in requirements && requirements.statuses.length > 0;
  if (action.deletesDeployments === true) await deleteDeployments(acting);
  const extra = hasStatuses ? { requirementStatus: requirements.statuses } : {};
  await writePhase({ ...acting, csv: acting.seen.csv }, action.phase, extra);
  return action.after === undefined ? undefined : requeue(action.after, { reason: "checks again" });
}

async function changeMetadata({ seen: { csv }, setting }: Acting, change: object): Promise<ClusterServiceVersion> {
  const after = { ...csv, metadata: { ...csv.metadata, ...change } };
  return setting.cluster.change(ClusterServiceVersion, { before: csv, after });
}

async function writePhase(
  { csv, setting, sync }: Acting & { readonly csv: ClusterServiceVersion },
  phase: Phase,
  extra: Partial<CsvStatus>,
): Promise<void> {
  const status = { ...setPhase(csv.status, phase, nowOf(setting.clock)), ...extra };
  await setting.cluster.changeStatus(ClusterServiceVersion, { before: csv, after: { ...csv, status } });
  sync.event(phase.phase === "Failed" ? "Warning" : "Normal", phase.reason, phase.message);
}

async function deleteDeployments({ seen: { csv }, setting }: Acting): Promise<void> {
  for (const { name } of csv.spec.install.spec?.deployments ?? []) {
    await setting.cluster.remove(Deployment, { namespace: csv.metadata.namespace ?? "", name });
  }
}

/** Installs with the permissions of the group's service account. What it may not do does not get better by itself. */
async function installAndReport(acting: Acting): Promise<void> {
  const { seen, sync, setting } = acting;
  const { csv, siblings } = seen;
  const [group] = seen.groups;
  if (group === undefined) return;
  const account = serviceAccountOf(seen.groups);
  if ("error" in account) {
    sync.log.warn("the service account of the OperatorGroup is not usable", { problem: account.error });
    return;
  }
  const cluster = account.reference === undefined ? setting.cluster : setting.as(account.reference);
  try {
    const isRotated = await install({ csv, group, siblings, cluster, config: configOf(csv, sync) }, setting);
    const message = "waiting for install components to report healthy";
    await writePhase(
      { ...acting, csv },
      { phase: "Installing", reason: "InstallSucceeded", message },
      isRotated ? rotation(setting) : {},
    );
  } catch (error) {
    const phase = failurePhase(error);
    if (phase === undefined) throw error;
    await writePhase({ ...acting, csv }, phase, {});
  }
}

function rotation({ clock }: ManagerSetting): Partial<CsvStatus> {
  const rotateAt = clock.wall() + (CERTIFICATE_DAYS - 1) * 24 * 60 * 60_000;
  return { certsLastUpdated: nowOf(clock), certsRotateAt: formatMilliseconds(rotateAt) };
}

/** The phase after a failed installation; undefined if it is repeated without one. */
function failurePhase(error: unknown): Phase | undefined {
  if (isApiError(error, "Forbidden")) {
    const message = `install strategy failed: install strategy failed: ${serverMessage(error)}`;
    return { phase: "Failed", reason: "InstallComponentFailedNoRetry", message };
  }
  if (error instanceof InstallError || isApiError(error, "Invalid", "BadRequest")) {
    const message = `install strategy failed: ${serverMessage(error)}`;
    return { phase: "Failed", reason: "InstallComponentFailed", message };
  }
  return undefined;
}
