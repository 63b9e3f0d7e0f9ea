/** Carries an uninstallation out: custom resources first, while their operator still runs; then the operator; then CRDs. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { KubeObject } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import { ClusterExtension } from "../kinds/cluster-extension.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription } from "../kinds/subscription.ts";
import { releaseCrds } from "./release-crds.ts";
import type { Removal, RemovedResource } from "./removal.ts";

/** How to remove. */
export interface RemoveOptions {
  readonly cluster: Cluster;
  /** Waits a little before the next look. */
  readonly pause: () => Promise<void>;
  /** Whether the deadline is over. */
  readonly isOver: () => boolean;
  readonly report: (progress: string) => void;
}

/** An uninstallation that stops before it is complete. It may be repeated. */
export class RemovalError extends Error {
  override readonly name = "RemovalError";
  readonly code = "Timeout";
}

/** Removes. Every step may be repeated after a crash. */
export async function removeAll(removal: Removal, options: RemoveOptions): Promise<void> {
  await removeResources(removal.customResources, options);
  await removeOperator(removal, options);
  for (const name of removal.crds) {
    await options.cluster.remove(CustomResourceDefinition, { namespace: "", name });
    options.report(`deleted CustomResourceDefinition ${name}`);
  }
}

/** The name of a custom resource in messages. */
export function formatResource({ resource: { kind, version, group }, namespace, name }: RemovedResource): string {
  return `${kind}.${version}.${group} ${[namespace, name].filter(Boolean).join("/")}`;
}

async function removeResources(all: readonly RemovedResource[], options: RemoveOptions): Promise<void> {
  const { cluster, report } = options;
  for (const { resource, namespace, name } of all) await cluster.remove(resource, { namespace, name });
  for (const [at, each] of all.entries()) {
    await untilGone(each, options);
    report(`deleted ${formatResource(each)} (${at + 1} of ${all.length})`);
  }
}

async function untilGone(each: RemovedResource, { cluster, pause, isOver }: RemoveOptions): Promise<void> {
  const { resource, namespace, name } = each;
  for (;;) {
    const live = await cluster.get<KubeObject>(resource, { namespace, name });
    if (live === undefined) return;
    if (isOver()) throw new RemovalError(`${formatResource(each)} is not gone in time${held(live)}`);
    await pause();
  }
}

function held({ metadata }: KubeObject): string {
  const finalizers = (metadata.finalizers ?? []).join(", ");
  const why = finalizers === "" ? "" : `: its finalizers ${finalizers} are not removed`;
  return `${why}. The operator still runs and was not removed. Look at its log, then repeat the command`;
}

async function removeOperator({ target, operators, keptCrds }: Removal, options: RemoveOptions): Promise<void> {
  const { cluster, report } = options;
  switch (target.kind) {
    case "Subscription": {
      const { namespace, name } = target;
      // Without its Subscription, a ClusterServiceVersion is not installed again.
      await cluster.remove(Subscription, { namespace, name });
      report(`deleted Subscription ${namespace}/${name}`);
      for (const operator of operators) {
        await cluster.remove(ClusterServiceVersion, { namespace, name: operator });
        report(`deleted ClusterServiceVersion ${namespace}/${operator}`);
      }
      return;
    }
    case "ClusterExtension": {
      const { name } = target;
      const kept = keptCrds.map((crd) => crd.name);
      if (kept.length > 0) await releaseCrds(name, kept, options);
      await cluster.remove(ClusterExtension, { namespace: "", name });
      report(`deleted ClusterExtension ${name}`);
      return;
    }
    default:
      target satisfies never;
  }
}
