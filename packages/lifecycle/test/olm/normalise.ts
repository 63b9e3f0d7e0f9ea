/** What of an object is compared: everything but what differs from run to run, such as times and uids. */
import type { Json } from "@capstan/model";
import type { AnyObject, Snapshot } from "./scenario.ts";

type JsonObject = { readonly [field: string]: Json };

/** Kinds whose objects are compared. */
export const comparedKinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ["operators.coreos.com/v1alpha1", "ClusterServiceVersion"],
  ["operators.coreos.com/v1alpha1", "InstallPlan"],
  ["operators.coreos.com/v1alpha1", "CatalogSource"],
  ["operators.coreos.com/v1alpha1", "Subscription"],
  ["operators.coreos.com/v1", "OperatorGroup"],
  ["operators.coreos.com/v2", "OperatorCondition"],
  ["operators.coreos.com/v1", "Operator"],
  ["v1", "Namespace"],
  ["v1", "ServiceAccount"],
  ["v1", "Service"],
  ["v1", "Secret"],
  ["v1", "ConfigMap"],
  ["apps/v1", "Deployment"],
  ["rbac.authorization.k8s.io/v1", "Role"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["apiregistration.k8s.io/v1", "APIService"],
  ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
  ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
  ["networking.k8s.io/v1", "NetworkPolicy"],
];

/** Fields that are times, counters or identities. */
const IGNORED = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "managedFields",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "lastUpdateTime",
  "lastTransitionTime",
  "lastUpdated",
  "lastConnect",
  "createdAt",
  "startTime",
  "certsLastUpdated",
  "certsRotateAt",
  "caBundle",
  "latestImageRegistryPoll",
  "clusterIP",
  "clusterIPs",
  "observedGeneration",
]);

/** The snapshot of the objects of a scenario. */
export function toSnapshot(all: readonly AnyObject[], name: string): Snapshot {
  const own = all.filter((object) => isOf(object, { id: `${name}-x`, group: `${name}.example.com` }));
  const names = planNames(own);
  const entries = own.map((object) => {
    const { name, namespace = "" } = object.metadata;
    const key = rename(`${object.kind} ${namespace}/${name}`, names);
    return [key, normalise(object, names)] as const;
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isOf(object: AnyObject, { id, group }: { readonly id: string; readonly group: string }): boolean {
  const { name, namespace = "" } = object.metadata;
  const labels = (object.metadata["labels"] ?? {}) as { readonly [key: string]: string };
  const from = labels["olm.copiedFrom"];
  if (from !== undefined && !from.startsWith(`${id}-`)) return false;
  if (object.kind === "Namespace" && name === "default") return false;
  if (namespace.startsWith(`${id}-`)) return !isBuiltIn(object);
  // In other namespaces only what was made for this scenario.
  const owner = labels["olm.owner.namespace"] ?? "";
  return (
    name.startsWith(`${id}-`) ||
    name.includes(`.${id}-`) ||
    name.includes(`.${group}`) ||
    owner.startsWith(`${id}-`) ||
    (from?.startsWith(`${id}-`) === true && namespace === "operators")
  );
}

/** What Kubernetes puts into each namespace. */
function isBuiltIn({ kind, metadata: { name } }: AnyObject): boolean {
  return (kind === "ConfigMap" && name === "kube-root-ca.crt") || (kind === "ServiceAccount" && name === "default");
}

/** Names that the server generated, and what stands for them. */
function planNames(all: readonly AnyObject[]): ReadonlyMap<string, string> {
  const plans = all.filter(({ kind }) => kind === "InstallPlan");
  const found = new Map<string, string>();
  for (const { metadata, spec } of plans) {
    const generation = (spec as { readonly generation?: number } | undefined)?.generation ?? 0;
    found.set(metadata.name, `install-${generation}`);
  }
  for (const { kind, metadata } of all) {
    const prefix = metadata["generateName"];
    if (typeof prefix === "string" && kind.endsWith("WebhookConfiguration")) found.set(metadata.name, `${prefix}*`);
  }
  return found;
}

function rename(text: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

function normalise(object: AnyObject, names: ReadonlyMap<string, string>): Json {
  const text = rename(JSON.stringify(object), names);
  const masked = text
    .replaceAll(/127\.0\.0\.1:\d+/gu, "ADDRESS")
    .replaceAll(/install-[a-z0-9]{5}(?=["\\])/gu, "install-GONE")
    .replaceAll(text.includes("olmcahash") ? /("olm\.deployment-spec-hash":")[0-9A-Za-z]+/gu : /$^/gu, "$1HASH")
    .replaceAll(/("olmcahash":")[0-9a-f]+/gu, "$1HASH")
    .replaceAll(/olm\.operatorgroup\.uid\/[0-9a-f-]{36}/gu, "olm.operatorgroup.uid/UID")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu, "UID");
  const { apiVersion: _version, kind: _kind, ...rest } = JSON.parse(masked) as JsonObject;
  return clean(byKind(object.kind, rest)) ?? {};
}

/** Leaves out ignored fields and empty values, and sorts lists whose order has no meaning. */
function clean(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const list = value.flatMap((each) => clean(each as Json) ?? []);
    return list.length === 0 ? undefined : sorted(list);
  }
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value as JsonObject)
    .filter(([field]) => !IGNORED.has(field))
    .map(([field, each]) => [field, clean(each)] as const)
    .filter(([, each]) => each !== undefined && each !== "");
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) as Json;
}

function sorted(list: readonly Json[]): Json {
  return list.every((each) => typeof each === "object" && each !== null)
    ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : [...list];
}

function byKind(kind: string, rest: JsonObject): JsonObject {
  switch (kind) {
    case "Deployment": {
      const { status: _status, ...kept } = rest;
      return withoutAnnotations(kept, ["deployment.kubernetes.io/revision"]);
    }
    case "Secret":
      return { ...rest, data: Object.keys((rest["data"] ?? {}) as object) };
    case "InstallPlan":
      return withManifests(rest);
    case "CustomResourceDefinition": {
      const { status: _status, ...kept } = rest;
      return kept;
    }
    case "APIService":
    case "Service":
    case "Namespace": {
      const { status: _status, ...kept } = rest;
      return kept;
    }
    case "ClusterServiceVersion":
      return withoutHistory(rest);
    case "ClusterRole":
    case "ClusterRoleBinding":
      return withoutLooseOwner(rest);
    case "OperatorGroup": {
      const status = (rest["status"] ?? {}) as JsonObject;
      return {
        ...rest,
        status: { ...status, namespaces: ((status["namespaces"] ?? []) as readonly string[]).toSorted() },
      };
    }
    default:
      return rest;
  }
}

function withoutAnnotations(object: JsonObject, names: readonly string[]): JsonObject {
  const metadata = (object["metadata"] ?? {}) as JsonObject;
  const annotations = Object.entries((metadata["annotations"] ?? {}) as JsonObject).filter(
    ([name]) => !names.includes(name),
  );
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}

/** The original writes this label only when it meets a role again, as after a lost update. */
function withoutLooseOwner(object: JsonObject): JsonObject {
  const metadata = (object["metadata"] ?? {}) as JsonObject;
  const labels = (metadata["labels"] ?? {}) as JsonObject;
  if (labels["olm.owner.kind"] !== undefined) return object;
  const { "olm.owner": _owner, ...kept } = labels;
  return { ...object, metadata: { ...metadata, labels: kept } };
}

/** The history holds every state that a run passes through, which depends on speed: the last entry is in the status itself. */
function withoutHistory(object: JsonObject): JsonObject {
  const { conditions: _conditions, ...status } = (object["status"] ?? {}) as JsonObject;
  return { ...object, status };
}

/** The manifests of steps as objects. */
function withManifests(plan: JsonObject): JsonObject {
  const status = (plan["status"] ?? {}) as JsonObject;
  const steps = ((status["plan"] ?? []) as readonly JsonObject[]).map((step) => {
    const resource = (step["resource"] ?? {}) as JsonObject;
    // A lost update of the status makes the original meet again what it created.
    const done = step["status"] === "Created" ? "Present" : (step["status"] ?? null);
    return { ...step, status: done, resource: { ...resource, manifest: parse(resource["manifest"]) } };
  });
  return { ...plan, status: { ...status, plan: steps } };
}

function parse(text: Json | undefined): Json {
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
