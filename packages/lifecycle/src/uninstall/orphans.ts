/** Objects that operators left behind: their operator, Subscription or extension does not exist any more. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { Kind, KubeObject } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import { installedAlongside } from "../csv/requirements.ts";
import { isCopied } from "../csv/replacement.ts";
import { ownerNameLabel, releasedAnnotation } from "../extension/labels.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription } from "../kinds/subscription.ts";
import { crdKind } from "./crd-kind.ts";

/** An object without the one that it was installed for. */
export interface Orphan {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
}

/** Finds them in all namespaces. */
export async function findOrphans(cluster: Cluster): Promise<readonly Orphan[]> {
  const csvs = (await cluster.list(ClusterServiceVersion)).filter((csv) => !isCopied(csv));
  const extensions = new Set((await cluster.list(ClusterExtension)).map(({ metadata }) => metadata.name));
  const places = new Set(csvs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return [
    ...(await orphanedCsvs(csvs, cluster)),
    ...(await orphanedCrds({ csvs, extensions, cluster })),
    ...(await orphanedRoles(ClusterRole, { places, cluster })),
    ...(await orphanedRoles(ClusterRoleBinding, { places, cluster })),
  ];
}

async function orphanedCsvs(csvs: readonly ClusterServiceVersion[], cluster: Cluster): Promise<readonly Orphan[]> {
  const subscriptions = await cluster.list(Subscription);
  const known = new Set(
    subscriptions.flatMap(({ metadata, status }) =>
      [status?.installedCSV, status?.currentCSV].map((name) => `${metadata.namespace}/${name}`),
    ),
  );
  const isReplaced = ({ metadata }: ClusterServiceVersion): boolean =>
    csvs.some((csv) => csv.metadata.namespace === metadata.namespace && csv.spec.replaces === metadata.name);
  return csvs
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((csv) => !known.has(`${csv.metadata.namespace}/${csv.metadata.name}`) && !isReplaced(csv))
    .map(({ metadata }) => ({
      kind: "ClusterServiceVersion",
      namespace: metadata.namespace ?? "",
      name: metadata.name,
      reason: "no Subscription installs it, so it gets no upgrades",
    }));
}

interface Known {
  readonly csvs: readonly ClusterServiceVersion[];
  readonly extensions: ReadonlySet<string>;
  readonly cluster: Cluster;
}

async function orphanedCrds({ csvs, extensions, cluster }: Known): Promise<readonly Orphan[]> {
  const owned = new Set(csvs.flatMap(({ spec }) => spec.customresourcedefinitions?.owned?.map(({ name }) => name)));
  const orphans: Orphan[] = [];
  for (const crd of await cluster.list(CustomResourceDefinition)) {
    const installer = installerOf(crd);
    if (installer === undefined || owned.has(crd.metadata.name) || isExtended(crd, extensions)) continue;
    const kind = crdKind(crd);
    const objects = kind === undefined ? [] : await cluster.list<KubeObject>(kind);
    const finalized = objects.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;
    const held = finalized === 0 ? "" : `, ${finalized} of them with finalizers that no operator removes`;
    const reason = `${installer} is gone; ${objects.length} objects are stored${held}`;
    orphans.push({ kind: "CustomResourceDefinition", namespace: "", name: crd.metadata.name, reason });
  }
  return orphans;
}

function isExtended({ metadata }: CustomResourceDefinition, extensions: ReadonlySet<string>): boolean {
  return extensions.has(metadata.labels?.[ownerNameLabel] ?? "");
}

/** The operator that installed a CRD; undefined for a CRD of something else. */
function installerOf(crd: CustomResourceDefinition): string | undefined {
  const extension = crd.metadata.annotations?.[releasedAnnotation] ?? crd.metadata.labels?.[ownerNameLabel];
  return installedAlongside(crd)[0] ?? (extension === undefined ? undefined : `the ClusterExtension ${extension}`);
}

interface Installed {
  readonly places: ReadonlySet<string>;
  readonly cluster: Cluster;
}

async function orphanedRoles(kind: Kind, { places, cluster }: Installed): Promise<readonly Orphan[]> {
  const roles = await cluster.list<KubeObject>(kind, { labelSelector: "olm.owner.kind=ClusterServiceVersion" });
  return roles.flatMap(({ metadata }) => {
    const place = `${metadata.labels?.["olm.owner.namespace"]}/${metadata.labels?.["olm.owner"]}`;
    const reason = `the ClusterServiceVersion ${place} is gone`;
    return places.has(place) ? [] : [{ kind: kind.kind, namespace: "", name: metadata.name ?? "", reason }];
  });
}
