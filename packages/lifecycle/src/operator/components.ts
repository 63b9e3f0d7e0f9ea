/** The components of an installed package: everything with its label. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { ConfigMap, Namespace, Secret, Service, ServiceAccount } from "@capstan/kinds/v1";
import type { Kind, StoredObject } from "@capstan/model";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { OperatorCondition } from "../kinds/operator-condition.ts";
import type { ComponentReference } from "../kinds/operator.ts";
import { Subscription } from "../kinds/subscription.ts";

/** The prefix of the labels of components. */
export const componentPrefix = "operators.coreos.com/";

/** The kinds of components. */
export const componentKinds: readonly Kind<StoredObject>[] = [
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  ClusterServiceVersion,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  InstallPlan,
  Namespace,
  OperatorCondition,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  Subscription,
];

/** The name of the Operator of a package in a namespace: at most 63 characters that a label can end with. */
export function operatorName(packageName: string, namespace: string): string {
  let name = `${packageName}.${namespace}`.slice(0, 63);
  while (name !== "" && "._-".includes(name.at(-1) ?? "")) name = name.slice(0, -1);
  return name;
}

/** The names of the Operators that an object is a component of. */
export function operatorsOf({ metadata }: Pick<StoredObject, "metadata">): readonly string[] {
  return Object.keys(metadata.labels ?? {}).flatMap((key) =>
    key.startsWith(componentPrefix) ? [key.slice(componentPrefix.length)] : [],
  );
}

/** The references to components, sorted as in OLM. */
export function toReferences(components: readonly StoredObject[]): readonly ComponentReference[] {
  return components.map(toReference).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey({ kind, apiVersion, namespace = "", name }: ComponentReference): string {
  return [kind, apiVersion, namespace, name].join("\u0000");
}

interface Conditioned {
  readonly conditions?: readonly object[];
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

function toReference(object: StoredObject): ComponentReference {
  const { name, namespace } = object.metadata;
  const { apiVersion, kind } = object;
  // The kinds of components report conditions in their status, or none.
  const status = (object as { readonly status?: Conditioned }).status;
  const conditions = kind === "ClusterServiceVersion" ? phaseCondition(status) : (status?.conditions ?? []);
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** The phase of a ClusterServiceVersion as a condition. */
function phaseCondition(status: Conditioned | undefined): readonly object[] {
  if (status?.phase === undefined) return [];
  const { phase, reason, message, lastUpdateTime, lastTransitionTime } = status;
  const facts = { type: phase, status: "True", reason, message, lastUpdateTime, lastTransitionTime };
  return [Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))];
}
