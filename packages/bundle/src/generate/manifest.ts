/** The objects that a bundle is generated from, sorted by what becomes of them. */
import type { Json } from "@capstan/model";
import { isObject, type JsonObject } from "../decode/json.ts";
import { kindOf, textAt } from "../read/object.ts";

/** An object of a cluster's manifests. */
export type Manifest = JsonObject;

/** Objects by what becomes of them. */
export interface Collected {
  readonly deployments: readonly Manifest[];
  readonly roles: readonly Manifest[];
  readonly clusterRoles: readonly Manifest[];
  readonly roleBindings: readonly Manifest[];
  readonly clusterRoleBindings: readonly Manifest[];
  readonly accounts: readonly Manifest[];
  readonly crds: readonly Manifest[];
  readonly services: readonly Manifest[];
  readonly validating: readonly Manifest[];
  readonly mutating: readonly Manifest[];
  readonly csvs: readonly Manifest[];
  readonly scorecards: readonly Manifest[];
  /** Objects of the kinds that the CRDs define: examples. */
  readonly examples: readonly Manifest[];
  readonly others: readonly Manifest[];
}

const places: { readonly [kind: string]: Exclude<keyof Collected, "examples" | "others"> } = {
  "apps/Deployment": "deployments",
  "rbac.authorization.k8s.io/Role": "roles",
  "rbac.authorization.k8s.io/ClusterRole": "clusterRoles",
  "rbac.authorization.k8s.io/RoleBinding": "roleBindings",
  "rbac.authorization.k8s.io/ClusterRoleBinding": "clusterRoleBindings",
  "/ServiceAccount": "accounts",
  "/Service": "services",
  "apiextensions.k8s.io/CustomResourceDefinition": "crds",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": "validating",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": "mutating",
  "operators.coreos.com/ClusterServiceVersion": "csvs",
  "scorecard.operatorframework.io/Configuration": "scorecards",
};

/** Sorts objects. */
export function collect(objects: readonly Manifest[]): Collected {
  const sorted = Map.groupBy(objects, (object) => {
    const { group, kind } = kindOf(object);
    return places[`${group}/${kind}`] ?? "others";
  });
  const of = (place: keyof Collected): readonly Manifest[] => sorted.get(place as "others") ?? [];
  const crds = of("crds");
  const own = new Set(crds.map((crd) => `${textAt(specOf(crd), "group")}/${textAt(specOf(crd), "names", "kind")}`));
  const isExample = (object: Manifest): boolean => own.has(`${kindOf(object).group}/${kindOf(object).kind}`);
  return {
    deployments: of("deployments"),
    roles: of("roles"),
    clusterRoles: of("clusterRoles"),
    roleBindings: of("roleBindings"),
    clusterRoleBindings: of("clusterRoleBindings"),
    accounts: of("accounts"),
    crds,
    services: of("services"),
    validating: of("validating"),
    mutating: of("mutating"),
    csvs: of("csvs"),
    scorecards: of("scorecards"),
    examples: of("others").filter(isExample),
    others: of("others").filter((object) => !isExample(object)),
  };
}

/** The spec of an object. */
export function specOf(object: Manifest): JsonObject {
  const spec = object["spec"];
  return isObject(spec) ? spec : {};
}

/** A list below an object. */
export function listAt(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : [];
}

/** An object's name. */
export function nameOf(object: Manifest): string {
  return textAt(object, "metadata", "name");
}
