/** The roles and bindings that are there from the start. */
import type { KubeObject } from "@capstan/model";
import { bootstrapPolicyText } from "./generated/policy.ts";

/** By resource, as kube-apiserver writes resources: `clusterroles.rbac.authorization.k8s.io`. */
export type BootstrapPolicy = { readonly [resource: string]: readonly KubeObject[] };

const kinds: { readonly [plural: string]: string } = {
  clusterroles: "ClusterRole",
  clusterrolebindings: "ClusterRoleBinding",
  roles: "Role",
  rolebindings: "RoleBinding",
};

export function bootstrapPolicy(): BootstrapPolicy {
  const stored = JSON.parse(bootstrapPolicyText) as {
    readonly [plural: string]: readonly Omit<KubeObject, "kind" | "apiVersion">[];
  };
  return Object.fromEntries(
    Object.entries(stored).map(([plural, objects]) => [
      `${plural}.rbac.authorization.k8s.io`,
      objects.map(
        (object) =>
          ({ apiVersion: "rbac.authorization.k8s.io/v1", kind: kinds[plural] ?? "", ...object }) as KubeObject,
      ),
    ]),
  );
}
