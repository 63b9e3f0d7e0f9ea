/** The least permissions that a program needs, from the kinds that its controllers declare. */
import type { ControllerFacts, KindNames, Program } from "./program.ts";
import { isConverted, isHooked, servesWebhooks } from "./webhooks.ts";

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const reading = ["get", "list", "watch"] as const;
/** `apply` creates or patches; pruning deletes. */
const writing = [...reading, "create", "patch", "delete"] as const;
/** What earlier versions left is looked for once, and deleted. */
const pruning = ["list", "delete"] as const;

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly scope: KindNames["scope"];
  readonly verbs: readonly string[];
}

/** Rules for namespaced kinds and for cluster-scoped kinds. */
export interface ScopedRules {
  readonly namespaced: readonly PolicyRule[];
  readonly cluster: readonly PolicyRule[];
}

/** What the controllers of a program must be allowed to do. */
export function rulesOf({ controllers, pausesByNamespace, previous }: Program): ScopedRules {
  const grants = [
    ...controllers.flatMap(grantsOf),
    ...previous.owned.map((kind) => grant(kind, pruning)),
    events,
    ...(pausesByNamespace ? [namespaces] : []),
  ];
  return {
    namespaced: toRules(grants.filter(({ scope }) => scope === "Namespaced")),
    cluster: toRules(grants.filter(({ scope }) => scope === "Cluster")),
  };
}

/**
 * What leader election needs in the operator's own namespace. The leases of earlier names are held as well, so that no version of those
 * names works at the same time; what was kept on them is read.
 */
export function leaderRules({ lease: name, previous }: Pick<Program, "lease" | "previous">): readonly PolicyRule[] {
  const lease = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    // Creation cannot be limited to a name.
    { ...lease, verbs: ["create"] },
    { ...lease, resourceNames: [...new Set([name, ...previous.names])], verbs: ["get", "patch"] },
  ];
}

/** What it takes to keep the webhooks' certificates in the operator's own namespace. */
export function certificateRules(name: string): readonly PolicyRule[] {
  const secrets = { apiGroups: [""], resources: ["secrets"] };
  return [
    { ...secrets, verbs: ["create"] },
    { ...secrets, resourceNames: [`${name}-webhook-certificates`], verbs: ["get", "patch"] },
  ];
}

/**
 * The rules for registering webhooks and conversions, and for removing the registrations of earlier versions, limited to the names of the
 * CRDs.
 */
export function registrationRules(program: Pick<Program, "resources" | "previous">): readonly PolicyRule[] {
  const { resources, previous } = program;
  const tells = resources.some(isHooked);
  // A program with webhooks for one kind may have had them for others.
  const own = servesWebhooks(program) ? resources.map(crdName) : [];
  const named = [...new Set([...own, ...previous.hooked])];
  const converted = resources.filter(isConverted).map(crdName);
  const configurations = {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  };
  const definitions = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  return [
    ...(tells ? [{ ...configurations, verbs: ["create"] }] : []),
    ...(named.length === 0
      ? []
      : [{ ...configurations, resourceNames: named, verbs: ["get", ...(tells ? ["patch"] : []), "delete"] }]),
    ...(converted.length === 0 ? [] : [{ ...definitions, resourceNames: converted, verbs: ["get", "patch"] }]),
  ];
}

function crdName({ plural, group }: KindNames): string {
  return `${plural}.${group}`;
}

/** The rules for checking access to the metrics. */
export const metricsGuardRules: readonly PolicyRule[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

const events: Grant = { group: "events.k8s.io", resource: "events", scope: "Namespaced", verbs: ["create", "patch"] };

const namespaces: Grant = { group: "", resource: "namespaces", scope: "Cluster", verbs: reading };

function grantsOf({ kind, owns, reads, watches }: ControllerFacts): Grant[] {
  return [
    // Finalizers and the record of steps are written to the object itself.
    grant(kind, [...reading, "patch"]),
    grant(kind, ["patch"], "status"),
    // An owner reference that blocks the owner's deletion is a change to its finalizers.
    ...(owns.length > 0 ? [grant(kind, ["update"], "finalizers")] : []),
    ...owns.map((owned) => grant(owned, writing)),
    ...[...reads, ...watches].map((seen) => grant(seen, reading)),
  ];
}

function grant({ group, plural, scope }: KindNames, verbs: readonly string[], subresource?: string): Grant {
  return { group, scope, verbs, resource: subresource === undefined ? plural : `${plural}/${subresource}` };
}

const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** Merges grants for one resource, then resources of a group with the same verbs. */
function toRules(grants: readonly Grant[]): PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { group, resource, verbs: more } of grants) {
    const id = `${group} ${resource}`;
    verbs.set(id, new Set([...(verbs.get(id) ?? []), ...more]));
  }
  const joined = new Map<string, string[]>();
  for (const [id, set] of [...verbs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [group = "", resource = ""] = id.split(" ");
    const key = `${group} ${verbOrder.filter((verb) => set.has(verb)).join(",")}`;
    joined.set(key, [...(joined.get(key) ?? []), resource]);
  }
  return [...joined].map(([key, resources]) => {
    const [group = "", list = ""] = key.split(" ");
    return { apiGroups: [group], resources, verbs: list.split(",") };
  });
}
