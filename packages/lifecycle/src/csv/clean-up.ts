/** What happens when a ClusterServiceVersion is deleted: objects that owner references cannot reach are removed. */
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { Kind, KubeObject } from "@capstan/model";
import { requeue } from "@capstan/runtime";
import type { ReconcileResult } from "@capstan/runtime";
import type { Cluster } from "../cluster/cluster.ts";
import { hasOwnerLabels, ownerSelector } from "../cluster/owners.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";
import { apiServiceName, ownedApiServices } from "./api-services.ts";
import { isCopied } from "./replacement.ts";

/** The finalizer of every ClusterServiceVersion that the manager has seen. */
export const finalizer = "operators.coreos.com/csv-cleanup";

const CLUSTER_KINDS: readonly Kind[] = [
  ClusterRoleBinding,
  ClusterRole,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
];

/** Removes the objects and, when they are gone, the finalizer. */
export async function cleanUp(csv: ClusterServiceVersion, reader: Reader, cluster: Cluster): Promise<ReconcileResult> {
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return undefined;
  if (!isCopied(csv)) {
    for (const kind of CLUSTER_KINDS) await removeOwned(kind, csv, cluster);
    await removeApiServices(csv, cluster);
    if (!isReplaced(csv, reader)) await stopConversions(csv, cluster);
    if (await remains(csv, cluster)) return requeue("1s", { reason: "waits until its cluster roles are gone" });
  }
  const metadata = { ...csv.metadata, finalizers: finalizers.filter((each) => each !== finalizer) };
  await cluster.change(ClusterServiceVersion, { before: csv, after: { ...csv, metadata } });
  return undefined;
}

async function removeOwned(kind: Kind, csv: ClusterServiceVersion, cluster: Cluster): Promise<void> {
  for (const { metadata } of await cluster.list<KubeObject>(kind, { labelSelector: ownerSelector(csv) })) {
    const uid = metadata.uid === undefined ? {} : { uid: metadata.uid };
    await cluster.remove(kind, { namespace: "", name: metadata.name ?? "", ...uid });
  }
}

async function remains(csv: ClusterServiceVersion, cluster: Cluster): Promise<boolean> {
  for (const kind of [ClusterRoleBinding, ClusterRole]) {
    if ((await cluster.list<KubeObject>(kind, { labelSelector: ownerSelector(csv) })).length > 0) return true;
  }
  return false;
}

async function removeApiServices(csv: ClusterServiceVersion, cluster: Cluster): Promise<void> {
  for (const each of ownedApiServices(csv)) {
    const service = await cluster.get(APIService, { namespace: "", name: apiServiceName(each) });
    if (service === undefined || !hasOwnerLabels(service, csv)) continue;
    await cluster.remove(APIService, { namespace: "", name: service.metadata.name, uid: service.metadata.uid });
  }
}

function isReplaced({ metadata }: ClusterServiceVersion, reader: Reader): boolean {
  const all = reader.find(ClusterServiceVersion, { namespace: metadata.namespace ?? "" });
  return all.some(({ spec }) => spec.replaces === metadata.name);
}

/** Without its webhook no custom resource could be read any more, so the CRDs convert nothing from now on. */
async function stopConversions({ spec }: ClusterServiceVersion, cluster: Cluster): Promise<void> {
  for (const { type, conversionCRDs = [] } of spec.webhookdefinitions ?? []) {
    if (type !== "ConversionWebhook") continue;
    for (const name of conversionCRDs) {
      const before = await cluster.get(CustomResourceDefinition, { namespace: "", name });
      if (before?.spec.conversion?.strategy !== "Webhook") continue;
      const after = { ...before, spec: { ...before.spec, conversion: { strategy: "None" as const } } };
      await cluster.change(CustomResourceDefinition, { before, after });
    }
  }
}
