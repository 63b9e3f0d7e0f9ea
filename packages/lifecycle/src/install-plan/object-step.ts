/** Creates or updates the object of a step that is not a CRD. */
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import type { Kind, KubeObject, OwnerReference } from "@capstan/model";
import type { Cluster } from "../cluster/cluster.ts";
import { serverMessage } from "../cluster/server-message.ts";
import { managedLabel, nonBlockingOwner, ownerLabels, withOwner } from "../cluster/owners.ts";
import type { Manifest } from "../csv/permissions.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { Step, StepStatus } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { Discovery } from "../manager/setting.ts";
import { StepError } from "./errors.ts";

/** Kinds beyond the usual ones that a bundle may contain. */
const SUPPORTED: ReadonlySet<string> = new Set([
  "PrometheusRule",
  "ServiceMonitor",
  "PodDisruptionBudget",
  "PriorityClass",
  "VerticalPodAutoscaler",
  "ConsoleYAMLSample",
  "ConsoleQuickStart",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "NetworkPolicy",
]);

const BUILT_IN: { readonly [kind: string]: Kind } = {
  BundleSecret: Secret,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
};

/** An object to write for a plan. */
export interface ObjectStep {
  readonly step: Step;
  readonly manifest: Manifest;
  readonly namespace: string;
  /** The name of the plan, which generated Subscriptions carry. */
  readonly plan: string;
  /** The ClusterServiceVersion of the step, if it exists. */
  readonly owner: ClusterServiceVersion | undefined;
}

/** Whether a bundle may contain objects of a kind. */
export function isSupportedKind(kind: string): boolean {
  return (
    kind in BUILT_IN ||
    SUPPORTED.has(kind) ||
    ["ClusterServiceVersion", "Subscription", "CustomResourceDefinition"].includes(kind)
  );
}

/** Writes the object, and says whether it was created or was there. */
export async function runObjectStep(object: ObjectStep, cluster: Cluster, discovery: Discovery): Promise<StepStatus> {
  const { step, manifest, namespace, plan } = object;
  const { kind } = step.resource;
  const labels = { ...manifest.metadata.labels, ...managedLabel };
  if (kind === "ClusterServiceVersion" || kind === "Subscription") {
    const annotations = { ...manifest.metadata.annotations, "olm.generated-by": plan };
    const metadata = { ...manifest.metadata, namespace, labels, ...(kind === "Subscription" ? { annotations } : {}) };
    const target: Kind = kind === "Subscription" ? Subscription : ClusterServiceVersion;
    const { status: _, ...content } = manifest;
    const done = await wrapped(
      `error creating ${kind === "Subscription" ? "subscription" : "csv"} ${metadata.name}`,
      () => cluster.ensure<KubeObject>(target, { ...content, metadata }),
    );
    return done === "created" ? "Created" : "Present";
  }
  const target = BUILT_IN[kind] ?? (await servedKind(step, discovery));
  const wanted = toWritten(object, target);
  // A role that exists already is from now on that of the newest operator.
  const isRole = target === ClusterRole || target === ClusterRoleBinding;
  const again = isRole ? { ...wanted.metadata.labels, "olm.owner": step.resolving } : wanted.metadata.labels;
  return write(wanted, target, { cluster, labels: again, step });
}

async function servedKind(step: Step, discovery: Discovery): Promise<Kind> {
  const { group, version, kind } = step.resource;
  const found = await discovery.kind(group, version, kind);
  if (found !== undefined) return found;
  throw notServed(step);
}

/** The error of a step whose kind the server does not serve. */
export function notServed({ resource: { group, version, kind, name } }: Step): StepError {
  return new StepError(
    "NotServed",
    `api-server resource not found installing ${kind} ${name}: GroupVersionKind ${group}/${version}, Kind=${kind} not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.`,
  );
}

/** The object with its namespace, its labels and its owner. */
function toWritten({ step, manifest, namespace, owner }: ObjectStep, kind: Kind): Manifest {
  const labels = { ...manifest.metadata.labels, ...managedLabel };
  const { status: _, ...content } = manifest;
  if (kind.scope === "Cluster") {
    const isRole = kind === ClusterRole || kind === ClusterRoleBinding;
    const csv = { kind: "ClusterServiceVersion", metadata: { name: step.resolving, namespace, uid: "" } };
    const owned = isRole || step.resolving === "" ? {} : ownerLabels(csv);
    const { namespace: _namespace, ownerReferences: _owners, ...metadata } = manifest.metadata;
    return { ...content, metadata: { ...metadata, labels: { ...labels, ...owned } } };
  }
  const ownerReferences = ownersOf({ step, manifest, owner }, kind);
  return { ...content, metadata: { ...manifest.metadata, namespace, labels, ownerReferences } };
}

/** The references of an object in the namespace. Permissions refer to their owner themselves, everything else gets it. */
function ownersOf(
  { step, manifest, owner }: Pick<ObjectStep, "step" | "manifest" | "owner">,
  kind: Kind,
): readonly OwnerReference[] {
  const { ownerReferences = [], name = "" } = manifest.metadata;
  const isRbac = ["Role", "RoleBinding", "ServiceAccount"].includes(kind.kind);
  const isOwned = !isRbac && step.resolving !== "";
  const isReferring = ownerReferences.some((each) => each.kind === ClusterServiceVersion.kind);
  if (owner === undefined) {
    if (!isOwned && !isReferring) return [];
    const problem = `clusterserviceversions.operators.coreos.com "${step.resolving}" not found`;
    throw new StepError("NoOwner", `error generating ownerrefs for ${nounOf(step, name)}: ${problem}`);
  }
  const known = ownerReferences.flatMap((reference) => ownReference(reference, owner));
  return isOwned ? withOwner(known, nonBlockingOwner(owner)) : known;
}

/** How messages name the object of a step. */
function nounOf({ resource: { kind } }: Step, name: string): string {
  switch (kind) {
    case "BundleSecret":
      return `secret ${name}`;
    case "ClusterRole":
    case "ClusterRoleBinding":
    case "Role":
    case "RoleBinding":
      return `${kind.toLowerCase()} ${name}`;
    case "ServiceAccount":
      return `service account: ${name}`;
    case "Service":
    case "ConfigMap":
      return `${kind.toLowerCase()}: ${name}`;
    default:
      return `unstructured object: ${name}`;
  }
}

/** What messages say about the creation and the update of the object of a step. */
function attemptsOf({ resource: { kind } }: Step, name: string): readonly [create: string, update: string] {
  switch (kind) {
    case "BundleSecret":
      return [`error updating secret: ${name}`, `error updating secret: ${name}`];
    case "ClusterRole":
    case "ClusterRoleBinding":
    case "Role":
    case "RoleBinding":
      return [`error creating ${kind.toLowerCase()} ${name}`, `error updating ${kind.toLowerCase()} ${name}`];
    case "ServiceAccount":
      return [`error creating service account: ${name}`, `error updating service account: ${name}`];
    case "Service":
    case "ConfigMap":
      return [`error updating ${kind.toLowerCase()}: ${name}`, `error updating ${kind.toLowerCase()}: ${name}`];
    default:
      return [`error creating unstructured object ${name}`, `error updating unstructured object ${name}`];
  }
}

/**
 * A reference of a plan has no uid: the ClusterServiceVersion did not exist when the plan was made. Only that one can own an object of
 * the bundle: references to anything else would let the bundle bind its objects to what is not its own.
 */
function ownReference(reference: OwnerReference, owner: ClusterServiceVersion): readonly OwnerReference[] {
  const isOwn =
    reference.apiVersion === owner.apiVersion &&
    reference.kind === owner.kind &&
    reference.name === owner.metadata.name;
  return isOwn ? [{ ...reference, uid: owner.metadata.uid }] : [];
}

interface Update {
  readonly cluster: Cluster;
  readonly step: Step;
  /** The labels of an object that exists already. */
  readonly labels: Manifest["metadata"]["labels"];
}

async function write(wanted: Manifest, kind: Kind, { cluster, labels, step }: Update): Promise<StepStatus> {
  const { namespace = "", name = "" } = wanted.metadata;
  const [creating, updating] = attemptsOf(step, name);
  const done = await wrapped(creating, () => cluster.ensure<KubeObject>(kind, wanted));
  if (done === "created") return "Created";
  const before = await cluster.get<KubeObject>(kind, { namespace: kind.scope === "Cluster" ? "" : namespace, name });
  if (before === undefined) return "NotPresent";
  await wrapped(updating, () =>
    cluster.change(kind, {
      before,
      after: replaced(before, {
        ...wanted,
        metadata: { ...wanted.metadata, ...(labels === undefined ? {} : { labels }) },
      }),
    }),
  );
  return "Present";
}

/** The live object with the content of the wanted one. A service account keeps its secrets, annotations and owners. */
function replaced(before: KubeObject, wanted: Manifest): KubeObject {
  const { labels = {}, annotations = {}, ownerReferences = [] } = wanted.metadata;
  const isAccount = wanted.kind === "ServiceAccount";
  const owners = isAccount
    ? ownerReferences.reduce((known, each) => withOwner(known, each), before.metadata.ownerReferences ?? [])
    : ownerReferences;
  const metadata = {
    ...before.metadata,
    labels: isAccount ? { ...before.metadata.labels, ...labels } : { ...before.metadata.labels, ...labels },
    annotations: { ...before.metadata.annotations, ...annotations },
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  };
  const isService = wanted.kind === "Service";
  const { metadata: _, ...content } = wanted;
  // Addresses and ports that the server assigned to a Service must stay.
  const live = before as Manifest;
  const spec = isService ? { spec: { ...(live["spec"] as object), ...(wanted["spec"] as object) } } : {};
  return { ...before, ...content, ...spec, metadata };
}

/** Adds what was attempted to the message of an error. */
async function wrapped<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && !error.message.startsWith("error "))
      error.message = `${what}: ${serverMessage(error)}`;
    throw error;
  }
}
