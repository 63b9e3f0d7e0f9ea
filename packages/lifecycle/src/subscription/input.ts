/** The input of a resolution, made of the objects of a namespace and the catalogs that it may use. */
import type { Property } from "@capstan/bundle";
import { catalogKey } from "../catalog-source/store.ts";
import type { CatalogStore } from "../catalog-source/store.ts";
import { crdGroup } from "../csv/apis.ts";
import { isCopied, lastReplacement } from "../csv/replacement.ts";
import { propertiesAnnotation } from "../install-plan/steps.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import type { ClusterServiceVersion, CsvSpec } from "../kinds/csv.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import type { Subscription } from "../kinds/subscription.ts";
import type { Reader } from "../manager/reader.ts";
import type {
  CatalogSnapshot,
  InstalledOperator,
  RequestedSubscription,
  ResolutionInput,
} from "../resolve/resolution.ts";

const EXCLUSION = "olm.operatorframework.io/exclude-global-namespace-resolution";

/** What is resolved. */
export interface Question {
  readonly namespace: string;
  readonly globalNamespace: string;
  readonly group: OperatorGroup;
  readonly subscriptions: readonly Subscription[];
  readonly csvs: readonly ClusterServiceVersion[];
}

/** The input of the resolver. */
export function toInput(question: Question, catalogs: readonly CatalogSnapshot[]): ResolutionInput {
  const { namespace, globalNamespace, group, subscriptions, csvs } = question;
  const isFailForward = group.spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
  const live = csvs.filter(
    (csv) =>
      !isCopied(csv) && csv.metadata.deletionTimestamp === undefined && !(isFailForward && hasFailedChain(csv, csvs)),
  );
  return {
    namespace,
    globalNamespace,
    excludesGlobalCatalogs: excludesGlobal(group),
    catalogs,
    subscriptions: subscriptions.map(toRequest),
    installed: live.map((csv) => toInstalled(csv, subscriptions)),
  };
}

/** The catalogs that a namespace may use, as they are now. */
export function snapshots(
  { namespace, globalNamespace, group }: Question,
  { find, store }: Pick<Reader, "find"> & { readonly store: CatalogStore },
): readonly CatalogSnapshot[] {
  const isAlone = excludesGlobal(group) || namespace === globalNamespace;
  const sources = [namespace, ...(isAlone ? [] : [globalNamespace])].flatMap((place) =>
    find(CatalogSource, { namespace: place }),
  );
  return sources.map(({ metadata, spec }) => {
    const place = { name: metadata.name, namespace: metadata.namespace ?? "", priority: spec.priority ?? 0 };
    const known = store.get(catalogKey(metadata));
    if (known?.content !== undefined) return { ...place, state: "ready", catalog: known.content.catalog };
    const error = known?.error ?? "no connection to its registry yet";
    return { ...place, state: "failed", error };
  });
}

function excludesGlobal({ metadata }: OperatorGroup): boolean {
  return metadata.annotations?.[EXCLUSION] === "true";
}

/** Whether the catalogs of a namespace have all been tried since the manager started. */
export function areCatalogsKnown(
  question: Question,
  { find, store }: Pick<Reader, "find"> & { readonly store: CatalogStore },
): boolean {
  const places = [question.namespace, ...(excludesGlobal(question.group) ? [] : [question.globalNamespace])];
  const sources = places.flatMap((place) => find(CatalogSource, { namespace: place }));
  return sources.every(({ metadata }) => store.get(catalogKey(metadata)) !== undefined);
}

/** Whether an operator is being replaced by one at the end of the chain that failed. */
function hasFailedChain(csv: ClusterServiceVersion, all: readonly ClusterServiceVersion[]): boolean {
  if (csv.status?.phase !== "Replacing") return false;
  const last = lastReplacement(csv, all);
  return last !== undefined && last.metadata.name !== csv.metadata.name && last.status?.phase === "Failed";
}

function toRequest({ metadata, spec, status }: Subscription): RequestedSubscription {
  const text = (name: string, value: string | undefined): object =>
    value === undefined || value === "" ? {} : { [name]: value };
  return {
    name: metadata.name,
    package: spec.name,
    catalog: { name: spec.source, namespace: spec.sourceNamespace },
    ...text("channel", spec.channel),
    ...text("startingCSV", spec.startingCSV),
    ...text("installedCSV", status?.installedCSV),
  };
}

function toInstalled(
  { metadata, spec }: ClusterServiceVersion,
  subscriptions: readonly Subscription[],
): InstalledOperator {
  const subscription = subscriptions.find(({ status }) => status?.installedCSV === metadata.name);
  const annotated = annotatedProperties(metadata.annotations?.[propertiesAnnotation]);
  const version = spec.version ?? "";
  const known = new Set(annotated.map(({ type }) => type));
  const inferred = [
    ...(subscription === undefined || known.has("olm.package")
      ? []
      : [{ type: "olm.package", value: { packageName: subscription.spec.name, version } }]),
    ...(known.has("olm.gvk") ? [] : gvks("olm.gvk", spec, "owned")),
    ...(known.has("olm.gvk.required") ? [] : gvks("olm.gvk.required", spec, "required")),
  ];
  const replaces = spec.replaces === undefined || spec.replaces === "" ? {} : { replaces: spec.replaces };
  return { name: metadata.name, version, ...replaces, properties: [...annotated, ...inferred] };
}

function annotatedProperties(text: string | undefined): readonly Property[] {
  if (text === undefined) return [];
  try {
    return (JSON.parse(text) as { readonly properties?: readonly Property[] }).properties ?? [];
  } catch {
    // An annotation that users broke: what the spec says counts.
    return [];
  }
}

function gvks(type: string, spec: CsvSpec, side: "owned" | "required"): readonly Property[] {
  const crds = (spec.customresourcedefinitions?.[side] ?? []).map(({ name, version, kind }) => ({
    group: crdGroup(name) ?? "",
    version,
    kind,
  }));
  const services = (spec.apiservicedefinitions?.[side] ?? []).map(({ group, version, kind }) => ({
    group,
    version,
    kind,
  }));
  return [...crds, ...services].map((value) => ({ type, value }));
}
