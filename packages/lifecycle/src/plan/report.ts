/** What an InstallPlan would do, compared with the cluster: objects, permissions, CRDs with every stored object, and images. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import type { KubeObject } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import type { Manifest } from "../csv/permissions.ts";
import { manifestOf } from "../install-plan/manifest.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { InstallPlan } from "../kinds/install-plan.ts";
import type { Discovery } from "../manager/setting.ts";
import { checkCrdUpgrade, formatCrdFinding } from "../preflight/crd-upgrade.ts";
import { judgeStored, type ObjectVerdict } from "../rollback/stored.ts";
import { differences, type FieldDifference } from "./differences.ts";
import { type PermissionChange, permissionChange } from "./permissions.ts";

/** What happens to one object. */
export interface PlannedObject {
  readonly kind: string;
  readonly name: string;
  readonly action: "create" | "change" | "leave" | "remove";
  readonly changes: readonly FieldDifference[];
}

/** A CRD of a plan. */
export interface PlannedCrd {
  readonly name: string;
  readonly isNew: boolean;
  /** What clients may notice, by the checks of OLM v1. */
  readonly findings: readonly string[];
  /** The verdict on every stored object. */
  readonly objects: readonly ObjectVerdict[];
  /** What prevents the change. */
  readonly refusals: readonly string[];
}

/** A plan that can be read before it runs. */
export interface PlanReport {
  readonly name: string;
  readonly phase: string;
  readonly approved: boolean;
  readonly operators: readonly string[];
  readonly objects: readonly PlannedObject[];
  readonly permissions: PermissionChange;
  readonly crds: readonly PlannedCrd[];
  readonly images: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

/** The cluster that a plan is compared with. */
export interface PlanMeans {
  readonly cluster: Cluster;
  readonly discovery: Pick<Discovery, "kind">;
}

/** Compares a plan with the cluster. */
export async function planReport(plan: InstallPlan, means: PlanMeans): Promise<PlanReport> {
  const { metadata, spec, status } = plan;
  const place = { cluster: means.cluster, namespace: metadata.namespace ?? "" };
  const manifests: Manifest[] = [];
  for (const step of status?.plan ?? []) manifests.push(await manifestOf(step, place));
  const upgrades = await upgradesIn(manifests, place);
  const objects: PlannedObject[] = [];
  for (const manifest of manifests) objects.push(await plannedObject(manifest, { ...means, ...place }));
  const crds: PlannedCrd[] = [];
  for (const each of manifests.filter(({ kind }) => kind === "CustomResourceDefinition"))
    // The manifest of a CRD has the shape of its kind.
    crds.push(await plannedCrd(each as unknown as CustomResourceDefinition, means));
  for (const each of upgrades) objects.push(...(await plannedDeployments(each, place)));
  const changes = upgrades.map(({ before, after }) => permissionChange(before, after));
  return {
    name: metadata.name,
    phase: status?.phase ?? "",
    approved: spec.approved,
    operators: spec.clusterServiceVersionNames,
    objects,
    permissions: { gained: changes.flatMap(({ gained }) => gained), lost: changes.flatMap(({ lost }) => lost) },
    crds,
    images: imageChange(upgrades),
  };
}

/** A version of an operator and the one that it replaces. */
interface Upgrade {
  readonly before: ClusterServiceVersion | undefined;
  readonly after: ClusterServiceVersion;
}

interface Place {
  readonly cluster: Cluster;
  readonly namespace: string;
}

async function upgradesIn(manifests: readonly Manifest[], { cluster, namespace }: Place): Promise<readonly Upgrade[]> {
  const upgrades: Upgrade[] = [];
  for (const each of manifests.filter(({ kind }) => kind === "ClusterServiceVersion")) {
    // The manifest of a ClusterServiceVersion has the shape of its kind.
    const after = each as unknown as ClusterServiceVersion;
    const name = after.spec.replaces ?? "";
    const before = name === "" ? undefined : await cluster.get(ClusterServiceVersion, { namespace, name });
    upgrades.push({ before, after });
  }
  return upgrades;
}

async function plannedObject(
  manifest: Manifest,
  { cluster, discovery, namespace }: PlanMeans & Place,
): Promise<PlannedObject> {
  const [version = "", group = ""] = manifest.apiVersion.split("/").reverse();
  const name = manifest.metadata.name ?? "";
  const kind = await discovery.kind(group, version, manifest.kind);
  const key = { namespace: kind?.scope === "Cluster" ? "" : namespace, name };
  const live = kind === undefined ? undefined : await cluster.get<KubeObject>(kind, key);
  return compared(manifest, live);
}

function compared(manifest: Pick<Manifest, "kind" | "metadata">, live: KubeObject | undefined): PlannedObject {
  const { kind, metadata } = manifest;
  const name = metadata.name ?? "";
  if (live === undefined) return { kind, name, action: "create", changes: [] };
  const { metadata: _, status: _status, ...content } = manifest as Manifest;
  const { labels = {}, annotations = {} } = metadata;
  const changes = [...differences({ labels, annotations }, live.metadata, "metadata"), ...differences(content, live)];
  return { kind, name, action: changes.length === 0 ? "leave" : "change", changes };
}

async function plannedDeployments(
  { before, after }: Upgrade,
  { cluster, namespace }: Place,
): Promise<readonly PlannedObject[]> {
  const wanted = after.spec.install.spec?.deployments ?? [];
  const old = before?.spec.install.spec?.deployments ?? [];
  const planned: PlannedObject[] = [];
  for (const { name, spec } of wanted) {
    const live = await cluster.get(Deployment, { namespace, name });
    const manifest = { kind: "Deployment", apiVersion: "apps/v1", metadata: { name }, spec };
    planned.push(compared(manifest, live));
  }
  const removed = old.filter(({ name }) => !wanted.some((each) => each.name === name));
  return [
    ...planned,
    ...removed.map(({ name }): PlannedObject => ({ kind: "Deployment", name, action: "remove", changes: [] })),
    ...(before === undefined
      ? []
      : [{ kind: "ClusterServiceVersion", name: before.metadata.name, action: "remove", changes: [] } as const]),
  ];
}

async function plannedCrd(next: CustomResourceDefinition, { cluster }: PlanMeans): Promise<PlannedCrd> {
  const { name } = next.metadata;
  const live = await cluster.get(CustomResourceDefinition, { namespace: "", name });
  if (live === undefined) return { name, isNew: true, findings: [], objects: [], refusals: [] };
  const { objects, refusals } = await judgeStored(live, next, { cluster });
  return { name, isNew: false, findings: checkCrdUpgrade(live, next).map(formatCrdFinding), objects, refusals };
}

function imageChange(upgrades: readonly Upgrade[]): PlanReport["images"] {
  const imagesOf = (csv: ClusterServiceVersion | undefined): readonly string[] =>
    (csv?.spec.install.spec?.deployments ?? []).flatMap(({ spec }) =>
      (spec.template.spec?.containers ?? []).flatMap(({ image }) => image ?? []),
    );
  const old = new Set(upgrades.flatMap(({ before }) => imagesOf(before)));
  const next = new Set(upgrades.flatMap(({ after }) => imagesOf(after)));
  return { added: [...next.difference(old)], removed: [...old.difference(next)] };
}
