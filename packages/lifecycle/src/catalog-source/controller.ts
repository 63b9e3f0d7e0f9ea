/** Reconciles CatalogSources: checks the spec, reads the content, and reports the connection. A failed reading keeps the old content. */
import { ConfigMap } from "@capstan/kinds/v1";
import { removeCondition, setCondition } from "@capstan/model";
import { requeue, watch } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { nonBlockingOwner, withOwner } from "../cluster/owners.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import type { CatalogSourceStatus } from "../kinds/catalog-source.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { formatMilliseconds, nowOf } from "../manager/time.ts";
import { catalogKey } from "./store.ts";
import type { CatalogOrigin, CatalogState } from "./store.ts";
import { resolveTemplate, templateAnnotation } from "./template.ts";
import { judgePolling, judgeSpec } from "./validate.ts";

type SourceSync = Sync<CatalogSource>;

/** How long until an unreachable catalog is tried again. */
const RETRY = 2_000;
/** How often the registry at an address is asked whether it still serves the same content. */
const CHECK = 5_000;
const PORT = "50051";

/** The controller. */
export function catalogSourceController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "catalogsource",
    kind: CatalogSource,
    watches: [
      watch(CatalogSource, ({ metadata }, { type }) => {
        // The content of a deleted catalog must not be offered any more.
        if (type === "removed") setting.catalogs.forget(catalogKey(metadata));
        return [];
      }),
    ],
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: SourceSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object: source } = sync;
  if (source.metadata.deletionTimestamp !== undefined) return undefined;
  if (await applyTemplate(source, setting)) return undefined;
  const verdict = judgeSpec(source);
  if (typeof verdict === "object") {
    setting.catalogs.forget(catalogKey(source.metadata));
    setting.catalogs.set(catalogKey(source.metadata), {
      state: "TRANSIENT_FAILURE",
      origin: "",
      error: verdict.invalid,
      readAt: 0,
    });
    return write(source, { ...source.status, reason: "SpecInvalidError", message: verdict.invalid }, setting);
  }
  const prepared = verdict === "config-map" ? await prepareConfigMap(sync, setting) : originOf(source);
  if (prepared === "written") return undefined;
  if ("problem" in prepared) {
    await write(source, { ...source.status, reason: "ConfigMapError", message: prepared.problem }, setting);
    return requeue("10s", { reason: prepared.problem });
  }
  if (source.status?.registryService === undefined) {
    return write(source, { ...clean(source.status), registryService: serviceOf(source, setting) }, setting);
  }
  return connect(source, prepared, setting);
}

/** The status without an old error. */
function clean({ reason: _reason, message: _message, ...status }: CatalogSourceStatus = {}): CatalogSourceStatus {
  return status;
}

async function write(
  source: CatalogSource,
  status: CatalogSourceStatus,
  { cluster }: ManagerSetting,
): Promise<undefined> {
  await cluster.changeStatus(CatalogSource, { before: source, after: { ...source, status } });
  return undefined;
}

function originOf({ metadata, spec }: CatalogSource): CatalogOrigin {
  const { address = "", image = "", secrets = [] } = spec;
  if (address !== "") return { type: "address", address };
  return { type: "image", image, secrets, namespace: metadata.namespace ?? "" };
}

/** What the original reports about the Service in front of a catalog's pod. */
function serviceOf(
  { metadata, spec }: CatalogSource,
  { clock }: ManagerSetting,
): NonNullable<CatalogSourceStatus["registryService"]> {
  const createdAt = nowOf(clock);
  if ((spec.address ?? "") !== "") return { createdAt, protocol: "grpc" };
  const serviceName = metadata.name.replaceAll(".", "-");
  return { createdAt, protocol: "grpc", serviceName, serviceNamespace: metadata.namespace ?? "", port: PORT };
}

function addressOf({ metadata, spec }: CatalogSource): string {
  return spec.address || `${metadata.name.replaceAll(".", "-")}.${metadata.namespace}.svc:${PORT}`;
}

type Prepared = CatalogOrigin | "written" | { readonly problem: string };

/** The ConfigMap gets the catalog as owner, and the status says which version of it is served. */
async function prepareConfigMap({ object: source, get }: SourceSync, setting: ManagerSetting): Promise<Prepared> {
  const { namespace = "" } = source.metadata;
  const name = source.spec.configMap ?? "";
  const found = get(ConfigMap, { namespace, name });
  if (found === undefined) {
    return { problem: `failed to get catalog config map ${name}: configmaps "${name}" not found` };
  }
  const ownerReferences = withOwner(found.metadata.ownerReferences, nonBlockingOwner(source));
  const labels = { ...found.metadata.labels, "olm.managed": found.metadata.labels?.["olm.managed"] ?? "false" };
  const after = { ...found, metadata: { ...found.metadata, ownerReferences, labels } };
  const owned = await setting.cluster.change(ConfigMap, { before: found, after });
  const { uid, resourceVersion } = owned.metadata;
  const known = source.status?.configMapReference;
  if (known?.uid !== uid || known.resourceVersion !== resourceVersion) {
    const reference = { name, namespace, uid, resourceVersion, lastUpdateTime: nowOf(setting.clock) };
    await write(source, { ...clean(source.status), configMapReference: reference }, setting);
    return "written";
  }
  return { type: "config-map", data: owned.data ?? {} };
}

/** Reads the content if it is due, and reports. */
async function connect(
  source: CatalogSource,
  origin: CatalogOrigin,
  setting: ManagerSetting,
): Promise<ReconcileResult> {
  const { catalogs, clock } = setting;
  const key = catalogKey(source.metadata);
  const known = catalogs.get(key);
  const identity = JSON.stringify(origin);
  const poll = judgePolling(source);
  const age = clock.wall() - (known?.readAt ?? 0);
  const limit = origin.type === "address" ? CHECK : (poll.every ?? Infinity);
  const isDue = known?.state !== "READY" || known.origin !== identity || age >= limit;
  const state = isDue ? await read(origin, { key, identity, setting }) : known;
  await report(source, { state, isNew: state.content !== known?.content || known?.state !== state.state }, setting);
  const after = state.state === "READY" ? limit - (clock.wall() - state.readAt) : RETRY;
  return Number.isFinite(after) ? requeue(Math.max(after, 100), { reason: "looks at the catalog again" }) : undefined;
}

interface Reading {
  readonly key: string;
  readonly identity: string;
  readonly setting: ManagerSetting;
}

async function read(origin: CatalogOrigin, { key, identity, setting }: Reading): Promise<CatalogState> {
  const { catalogs, clock } = setting;
  const known = catalogs.get(key);
  const keep = known?.origin === identity ? known.content : undefined;
  try {
    const content = await catalogs.read(origin, keep);
    const state: CatalogState = { state: "READY", origin: identity, content, readAt: clock.wall() };
    catalogs.set(key, state);
    return state;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const kept = keep === undefined ? {} : { content: keep };
    const state: CatalogState = {
      state: "TRANSIENT_FAILURE",
      origin: identity,
      error: message,
      readAt: clock.wall(),
      ...kept,
    };
    catalogs.set(key, state);
    return state;
  }
}

interface Reported {
  readonly state: CatalogState;
  readonly isNew: boolean;
}

async function report(source: CatalogSource, { state, isNew }: Reported, setting: ManagerSetting): Promise<void> {
  const { status } = source;
  const old = status?.connectionState;
  const poll = judgePolling(source);
  const invalid = "invalid" in poll ? poll.invalid : undefined;
  const lastConnect = isNew || old?.lastConnect === undefined ? connectTime(old, setting) : old.lastConnect;
  const connectionState = { address: addressOf(source), lastObservedState: state.state, lastConnect };
  const error = invalid === undefined ? {} : { reason: "InvalidIntervalError" as const, message: invalid };
  const polled = poll.every === undefined ? {} : { latestImageRegistryPoll: formatPoll(state, status) };
  const failure = state.state === "READY" || state.error === undefined ? {} : { message: state.error };
  await write(source, { ...clean(status), ...error, ...failure, ...polled, connectionState }, setting);
}

/** Resolution and policies watch the CatalogSource: new content always changes it, also twice within a second. */
function connectTime(old: CatalogSourceStatus["connectionState"], { clock }: ManagerSetting): string {
  const now = nowOf(clock);
  return old?.lastConnect !== undefined && now <= old.lastConnect
    ? formatMilliseconds(Date.parse(old.lastConnect) + 1000)
    : now;
}

function formatPoll({ readAt }: CatalogState, status: CatalogSourceStatus | undefined): string {
  return readAt === 0
    ? (status?.latestImageRegistryPoll ?? "")
    : new Date(readAt).toISOString().replace(/\.\d+Z$/u, "Z");
}

/** Resolves the template of the image. Says whether it wrote something. */
async function applyTemplate(source: CatalogSource, { cluster, clock, discovery }: ManagerSetting): Promise<boolean> {
  const template = source.metadata.annotations?.[templateAnnotation];
  const known = source.status?.conditions ?? [];
  const now = nowOf(clock);
  if (template === undefined) {
    const kept = ["TemplatesHaveResolved", "ResolvedImage"].reduce((all, type) => removeCondition(all, type), known);
    if (kept.length === known.length) return false;
    await cluster.changeStatus(CatalogSource, {
      before: source,
      after: { ...source, status: { ...source.status, conditions: kept } },
    });
    return true;
  }
  const { image, conditions } = resolveTemplate(template, await discovery.version());
  const next = conditions.reduce((all, condition) => setCondition(all, condition, now), known);
  const hasImage = image === undefined || source.spec.image === image;
  const spec = image === undefined ? source.spec : { ...source.spec, image };
  const changed = await cluster.change(CatalogSource, { before: source, after: { ...source, spec } });
  const status = { ...changed.status, conditions: next };
  await cluster.changeStatus(CatalogSource, { before: changed, after: { ...changed, status } });
  return !hasImage || next !== known;
}
