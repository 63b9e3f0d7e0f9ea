/** What an uninstallation would remove, and what it would keep, before anything happens. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Kind, KubeObject } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import { isCopied, replacementChain } from "../csv/replacement.ts";
import { ownerNameLabel } from "../extension/labels.ts";
import { unpackObject } from "../extension/revision/pack.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterExtensionRevision } from "../kinds/cluster-extension-revision.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription } from "../kinds/subscription.ts";
import { crdKind } from "./crd-kind.ts";

/** What is uninstalled. */
export type RemovalTarget =
  | { readonly kind: "Subscription"; readonly namespace: string; readonly name: string }
  | { readonly kind: "ClusterExtension"; readonly name: string };

/** What becomes of the data: the CRDs with all custom resources, only the custom resources, or neither. */
export type DataChoice = "keep" | "remove-custom-resources" | "remove-crds";

/** A custom resource to delete. */
export interface RemovedResource {
  readonly resource: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** A CRD that stays, with the reason. */
export interface KeptCrd {
  readonly name: string;
  readonly objects: number;
  /** How many of its objects have finalizers, which only an operator removes. */
  readonly finalized: number;
  readonly reason: string;
}

/** What is removed, in this order, and what stays. */
export interface Removal {
  readonly target: RemovalTarget;
  readonly customResources: readonly RemovedResource[];
  /** The ClusterServiceVersions of a Subscription; the bundle of a ClusterExtension. */
  readonly operators: readonly string[];
  readonly crds: readonly string[];
  readonly keptCrds: readonly KeptCrd[];
  /** Operators that require a CRD that is removed. */
  readonly warnings: readonly string[];
}

/** Finds out what the removal of a target means. Undefined if the target does not exist. */
export async function planRemoval(
  target: RemovalTarget,
  { cluster, choice }: { readonly cluster: Cluster; readonly choice: DataChoice },
): Promise<Removal | undefined> {
  const found = await (target.kind === "Subscription" ? ofSubscription(target, cluster) : ofExtension(target, cluster));
  if (found === undefined) return undefined;
  const csvs = (await cluster.list(ClusterServiceVersion)).filter((csv) => !isCopied(csv) && !found.isOwn(csv));
  const crds = await Promise.all(found.crds.map((name) => describeCrd(name, { cluster, choice, csvs })));
  const live = crds.filter((crd) => crd !== undefined);
  const removed = live.filter(({ kept }) => kept === undefined);
  return {
    target,
    operators: found.operators,
    customResources: live.flatMap(({ removed: objects }) => objects),
    crds: removed.map(({ name }) => name),
    keptCrds: live.flatMap(({ kept }) => kept ?? []),
    warnings: removed.flatMap(({ name }) => csvs.filter(requires(name)).map((csv) => requirement(csv, name))),
  };
}

interface Found {
  readonly operators: readonly string[];
  readonly crds: readonly string[];
  readonly isOwn: (csv: ClusterServiceVersion) => boolean;
}

/** During an upgrade there are several ClusterServiceVersions. */
async function ofSubscription(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  cluster: Cluster,
): Promise<Found | undefined> {
  const subscription = await cluster.get(Subscription, { namespace, name });
  if (subscription === undefined) return undefined;
  const csvs = (await cluster.list(ClusterServiceVersion, { namespace })).filter((csv) => !isCopied(csv));
  const { installedCSV = "", currentCSV = "" } = subscription.status ?? {};
  const chains = csvs
    .filter(({ metadata }) => [installedCSV, currentCSV].includes(metadata.name))
    .map((csv) => replacementChain(csv, csvs));
  const names = new Set(chains.flatMap((chain) => [...chain]));
  const own = csvs.filter((csv) => names.has(csv.metadata.name));
  const uids = new Set(own.map(({ metadata }) => metadata.uid));
  return {
    operators: own.map((csv) => csv.metadata.name),
    crds: [...new Set(own.flatMap((csv) => ownedBy(csv)))],
    isOwn: ({ metadata }) => uids.has(metadata.uid),
  };
}

async function ofExtension({ name }: { readonly name: string }, cluster: Cluster): Promise<Found | undefined> {
  const extension = await cluster.get(ClusterExtension, { namespace: "", name });
  if (extension === undefined) return undefined;
  const revisions = await cluster.list(ClusterExtensionRevision, { labelSelector: `${ownerNameLabel}=${name}` });
  const entries = revisions
    .filter(({ spec }) => spec.lifecycleState === "Active")
    .flatMap(({ spec }) => (spec.phases ?? []).flatMap(({ objects }) => objects));
  const objects = await Promise.all(entries.map((entry) => unpackObject(entry, cluster)));
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const bundle = extension.status?.install?.bundle.name;
  return {
    operators: bundle === undefined ? [] : [bundle],
    crds: [...new Set(crds.map(({ metadata }) => metadata.name ?? ""))],
    isOwn: () => false,
  };
}

function ownedBy({ spec }: ClusterServiceVersion): readonly string[] {
  return (spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);
}

function requires(crd: string): (csv: ClusterServiceVersion) => boolean {
  return ({ spec }) => spec.customresourcedefinitions?.required?.some(({ name }) => name === crd) === true;
}

function requirement({ metadata }: ClusterServiceVersion, crd: string): string {
  return `${metadata.namespace}/${metadata.name} requires ${crd} and fails without it`;
}

interface DescribedCrd {
  readonly name: string;
  readonly removed: readonly RemovedResource[];
  readonly kept: KeptCrd | undefined;
}

interface Described {
  readonly cluster: Cluster;
  readonly choice: DataChoice;
  readonly csvs: readonly ClusterServiceVersion[];
}

/** Another operator that owns the CRD needs its objects, whatever the choice is. */
async function describeCrd(name: string, { cluster, choice, csvs }: Described): Promise<DescribedCrd | undefined> {
  const crd = await cluster.get(CustomResourceDefinition, { namespace: "", name });
  if (crd === undefined) return undefined;
  const resource = crdKind(crd);
  const objects = resource === undefined ? [] : await cluster.list<KubeObject>(resource);
  const other = csvs.find((csv) => ownedBy(csv).includes(name));
  const removed = resource === undefined ? [] : objects.map(({ metadata }) => toRemoved(metadata, resource));
  const finalized = objects.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;
  const keep = (count: number, reason: string): KeptCrd => ({
    name,
    objects: count,
    finalized: count === 0 ? 0 : finalized,
    reason,
  });
  if (other !== undefined) {
    const reason = `${other.metadata.namespace}/${other.metadata.name} owns it, too`;
    return { name, removed: [], kept: keep(objects.length, reason) };
  }
  switch (choice) {
    case "keep":
      return { name, removed: [], kept: keep(objects.length, "CRDs are kept") };
    case "remove-custom-resources":
      return { name, removed, kept: keep(0, "CRDs are kept") };
    case "remove-crds":
      return { name, removed, kept: undefined };
    default:
      return choice satisfies never;
  }
}

function toRemoved({ namespace = "", name = "" }: KubeObject["metadata"], resource: Kind): RemovedResource {
  return { resource, namespace, name };
}
