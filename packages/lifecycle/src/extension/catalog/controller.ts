/** Reconciles ClusterCatalogs: pulls the image when it is due, keeps the content in memory, and reports what is served. */
import type { Condition } from "@capstan/model";
import { setCondition } from "@capstan/model";
import { requeue, watch } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { catalogKey } from "../../catalog-source/store.ts";
import type { CatalogState } from "../../catalog-source/store.ts";
import { ClusterCatalog, type ClusterCatalogStatus } from "../../kinds/cluster-catalog.ts";
import { defineSync } from "../../manager/define.ts";
import type { Sync } from "../../manager/reader.ts";
import type { ManagerSetting } from "../../manager/setting.ts";
import { nowOf } from "../../manager/time.ts";
import { catalogNameLabel } from "../labels.ts";
import { canonicalReference } from "./reference.ts";

/** How long until a catalog that could not be read is tried again. */
const RETRY = 5_000;
const MINUTE = 60_000;

/** The controller. */
export function clusterCatalogController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "clustercatalog",
    kind: ClusterCatalog,
    watches: [
      watch(ClusterCatalog, ({ metadata }, { type }) => {
        // The content of a deleted catalog must not be offered any more.
        if (type === "removed") setting.catalogs.forget(catalogKey(metadata));
        return [];
      }),
    ],
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: Sync<ClusterCatalog>, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object } = sync;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const catalog = await labelled(object, setting);
  if (catalog.spec.availabilityMode === "Unavailable") return switchOff(catalog, setting);
  const known = setting.catalogs.get(catalogKey(catalog.metadata));
  const every = (catalog.spec.source.image?.pollIntervalMinutes ?? Infinity) * MINUTE;
  const origin = originOf(catalog);
  const age = setting.clock.wall() - (known?.readAt ?? 0);
  const isDue = known?.state !== "READY" || known.origin !== origin || age >= every;
  const state = isDue ? await read(catalog, setting) : known;
  await report(catalog, state, setting);
  const after = state.state === "READY" ? every - (setting.clock.wall() - state.readAt) : RETRY;
  return Number.isFinite(after) ? requeue(Math.max(after, 100), { reason: "looks at the catalog again" }) : undefined;
}

function originOf({ spec }: ClusterCatalog): string {
  return JSON.stringify(spec.source);
}

/** A selector finds a catalog by its name with this label. */
async function labelled(catalog: ClusterCatalog, { cluster }: ManagerSetting): Promise<ClusterCatalog> {
  const { metadata } = catalog;
  if (metadata.labels?.[catalogNameLabel] === metadata.name) return catalog;
  const labels = { ...metadata.labels, [catalogNameLabel]: metadata.name };
  return cluster.change(ClusterCatalog, { before: catalog, after: { ...catalog, metadata: { ...metadata, labels } } });
}

async function switchOff(catalog: ClusterCatalog, setting: ManagerSetting): Promise<undefined> {
  setting.catalogs.forget(catalogKey(catalog.metadata));
  const message = "Catalog availability mode is set to Unavailable";
  const conditions = withConditions(catalog, setting, [
    { type: "Progressing", status: "True", reason: "Succeeded", message },
    { type: "Serving", status: "False", reason: "UserSpecifiedUnavailable", message },
  ]);
  await write(catalog, { conditions }, setting);
  return undefined;
}

async function read(catalog: ClusterCatalog, { catalogs, clock, namespace }: ManagerSetting): Promise<CatalogState> {
  const key = catalogKey(catalog.metadata);
  const known = catalogs.get(key);
  const image = catalog.spec.source.image?.ref ?? "";
  const readAt = clock.wall();
  const origin = originOf(catalog);
  try {
    const content = await catalogs.read({ type: "image", image, secrets: [], namespace }, known?.content);
    const state: CatalogState = { state: "READY", origin, content, readAt };
    catalogs.set(key, state);
    return state;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const kept = known?.content === undefined ? {} : { content: known.content };
    const state: CatalogState = { state: "TRANSIENT_FAILURE", origin, error: message, readAt, ...kept };
    catalogs.set(key, state);
    return state;
  }
}

async function report(catalog: ClusterCatalog, state: CatalogState, setting: ManagerSetting): Promise<void> {
  const progressing: Draft =
    state.state === "READY"
      ? {
          type: "Progressing",
          status: "True",
          reason: "Succeeded",
          message: "Successfully unpacked and stored content from resolved source",
        }
      : {
          type: "Progressing",
          status: "True",
          reason: "Retrying",
          message: `source catalog content: ${state.error ?? "the catalog cannot be read"}`,
        };
  if (state.state !== "READY") {
    await write(catalog, { ...catalog.status, conditions: withConditions(catalog, setting, [progressing]) }, setting);
    return;
  }
  const serving: Draft = {
    type: "Serving",
    status: "True",
    reason: "Available",
    message: "Serving desired content from resolved source",
  };
  const ref = canonicalReference(catalog.spec.source.image?.ref ?? "", state.content?.digest);
  const isSame = catalog.status?.resolvedSource?.image.ref === ref;
  const lastUnpacked = isSame ? catalog.status?.lastUnpacked : undefined;
  const base = setting.catalogUrl ?? `https://catalogd-service.${setting.namespace}.svc/catalogs`;
  const status: ClusterCatalogStatus = {
    conditions: withConditions(catalog, setting, [progressing, serving]),
    resolvedSource: { type: "Image", image: { ref } },
    urls: { base: `${base}/${catalog.metadata.name}` },
    lastUnpacked: lastUnpacked ?? nowOf(setting.clock),
  };
  await write(catalog, status, setting);
}

type Draft = Omit<Condition, "lastTransitionTime">;

function withConditions(
  { metadata, status }: ClusterCatalog,
  { clock }: ManagerSetting,
  drafts: readonly Draft[],
): readonly Condition[] {
  const observedGeneration = metadata.generation ?? 0;
  const known = status?.conditions ?? [];
  return drafts.reduce((all, draft) => setCondition(all, { ...draft, observedGeneration }, nowOf(clock)), known);
}

async function write(before: ClusterCatalog, status: ClusterCatalogStatus, { cluster }: ManagerSetting): Promise<void> {
  await cluster.changeStatus(ClusterCatalog, { before, after: { ...before, status } });
}
