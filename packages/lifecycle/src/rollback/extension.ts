/** Rolls a ClusterExtension back to the version that ran before, if nothing that is stored would be lost. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Cluster } from "../cluster/cluster.ts";
import { bundleVersionAnnotation, ownerNameLabel } from "../extension/labels.ts";
import { unpackObject } from "../extension/revision/pack.ts";
import { hasSucceeded } from "../extension/revision/states.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterExtensionRevision } from "../kinds/cluster-extension-revision.ts";
import { judgeStored } from "./stored.ts";

/** What a rollback did, or why it did nothing. */
export type RollbackResult =
  | { readonly type: "started"; readonly from: string; readonly to: string }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** Asks for the version before. The manager does the rest, as for every change of the version. */
export async function rollBackExtension(name: string, cluster: Cluster): Promise<RollbackResult> {
  const extension = await cluster.get(ClusterExtension, { namespace: "", name });
  if (extension === undefined) return refused(`there is no ClusterExtension ${name}`);
  const revisions = await cluster.list(ClusterExtensionRevision, { labelSelector: `${ownerNameLabel}=${name}` });
  const from = extension.status?.install?.bundle.version ?? "";
  const target = revisions
    .filter((each) => hasSucceeded(each) && versionOf(each) !== from)
    .toSorted((a, b) => b.spec.revision - a.spec.revision)[0];
  if (target === undefined) return refused(`${name} has no revision of another version to go back to`);
  const reasons = await refusalsFor(target, cluster);
  if (reasons.length > 0) return { type: "refused", reasons };
  const to = versionOf(target);
  const { source, install } = extension.spec;
  const catalog = {
    packageName: "",
    ...source.catalog,
    version: to,
    upgradeConstraintPolicy: "SelfCertified" as const,
  };
  // The stored objects were judged one by one, which the check of schemas cannot do.
  const preflight = { ...install?.preflight, crdUpgradeSafety: { enforcement: "None" } };
  const spec = { ...extension.spec, source: { ...source, catalog }, install: { ...install, preflight } };
  await cluster.change(ClusterExtension, { before: extension, after: { ...extension, spec } });
  return { type: "started", from, to };
}

function refused(reason: string): RollbackResult {
  return { type: "refused", reasons: [reason] };
}

function versionOf({ metadata }: ClusterExtensionRevision): string {
  return metadata.annotations?.[bundleVersionAnnotation] ?? "";
}

async function refusalsFor(target: ClusterExtensionRevision, cluster: Cluster): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const entry of (target.spec.phases ?? []).flatMap(({ objects }) => objects)) {
    const object = await unpackObject(entry, cluster);
    if (object.kind !== "CustomResourceDefinition") continue;
    const live = await cluster.get(CustomResourceDefinition, { namespace: "", name: object.metadata.name ?? "" });
    if (live === undefined) continue;
    // The manifest of a CRD has the shape of its kind.
    const verdict = await judgeStored(live, object as unknown as CustomResourceDefinition, { cluster });
    reasons.push(...verdict.refusals);
  }
  return reasons;
}
