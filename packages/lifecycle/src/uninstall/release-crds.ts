/** Takes CRDs away from a ClusterExtension, so that its deletion leaves them and their objects in place. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Kind, StoredObject } from "@capstan/model";
import { pauseAnnotation } from "@capstan/runtime";
import type { Cluster } from "../cluster/cluster.ts";
import { ownersOfKind } from "../cluster/owners.ts";
import { ownerNameLabel, releasedAnnotation } from "../extension/labels.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterExtensionRevision } from "../kinds/cluster-extension-revision.ts";
import type { RemoveOptions } from "./remove.ts";

/** A reconcile that was under way may bring the references back once: they have to stay away for so many looks. */
const CALM = 3;

/** Removes the owner references. Paused revisions do not bring them back. */
export async function releaseCrds(extension: string, crds: readonly string[], options: RemoveOptions): Promise<void> {
  const { cluster, pause, report } = options;
  await pauseObject(ClusterExtension, extension, cluster);
  const labelSelector = `${ownerNameLabel}=${extension}`;
  for (const { metadata } of await cluster.list(ClusterExtensionRevision, { labelSelector }))
    await pauseObject(ClusterExtensionRevision, metadata.name, cluster);
  for (let calm = 0; calm < CALM;) {
    const changed = await Promise.all(crds.map((name) => release(name, { extension, cluster })));
    calm = changed.includes(true) ? 0 : calm + 1;
    await pause();
  }
  for (const name of crds) report(`CustomResourceDefinition ${name} has no owner and stays`);
}

async function pauseObject<T extends StoredObject>(kind: Kind<T>, name: string, cluster: Cluster): Promise<void> {
  const metadata = { name, annotations: { [pauseAnnotation]: "true" } };
  await cluster.apply<StoredObject>(kind as Kind<StoredObject>, { metadata }, "capstan-uninstall");
}

/** Whether there were references to remove. */
async function release(
  name: string,
  { extension, cluster }: { readonly extension: string; readonly cluster: Cluster },
): Promise<boolean> {
  const before = await cluster.get(CustomResourceDefinition, { namespace: "", name });
  if (before === undefined) return false;
  const { ownerReferences = [], labels = {} } = before.metadata;
  if (ownersOfKind(before.metadata, ClusterExtensionRevision.kind).length === 0) return false;
  const { [ownerNameLabel]: _owner, ...others } = labels;
  const left = ownerReferences.filter(({ kind }) => kind !== ClusterExtensionRevision.kind);
  const annotations = { ...before.metadata.annotations, [releasedAnnotation]: extension };
  const metadata = { ...before.metadata, annotations, labels: others, ownerReferences: left };
  await cluster.change(CustomResourceDefinition, { before, after: { ...before, metadata } });
  return true;
}
