/** Whether an object has reached its desired state, according to its status: the rules of kubectl and kstatus. */
import type { StoredObject } from "@capstan/model";

interface StatusObject extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly updatedNumberScheduled?: number;
    readonly phase?: string;
  };
}

type Rule = (object: StatusObject) => boolean;

/** Kinds with their own status fields. */
const rules: { readonly [kind: string]: Rule } = {
  Deployment: ({ spec, status }) => {
    const wanted = spec?.replicas ?? 1;
    return status?.updatedReplicas === wanted || wanted === 0 ? (status?.availableReplicas ?? 0) >= wanted : false;
  },
  StatefulSet: ({ spec, status }) => {
    const wanted = spec?.replicas ?? 1;
    return (status?.readyReplicas ?? 0) >= wanted && (status?.updatedReplicas ?? wanted) >= wanted;
  },
  ReplicaSet: ({ spec, status }) => (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 1),
  DaemonSet: ({ status }) =>
    status?.desiredNumberScheduled !== undefined &&
    (status.numberReady ?? 0) >= status.desiredNumberScheduled &&
    (status.updatedNumberScheduled ?? 0) >= status.desiredNumberScheduled,
  Job: (object) => isTrue(object, "Complete"),
  Pod: (object) => object.status?.phase === "Succeeded" || isTrue(object, "Ready"),
  PersistentVolumeClaim: ({ status }) => status?.phase === "Bound",
  CustomResourceDefinition: (object) => isTrue(object, "Established"),
};

/**
 * Whether an object is ready. Kinds without their own rule are ready if their condition Ready is true, or if they have none.
 *
 * @example
 * controller(Memcached, { reads: [Deployment] }, ({ object, get, status }) => {
 *   const deployment = get(Deployment, object.metadata.name);
 *   status.condition("Available", deployment !== undefined && isReady(deployment));
 * });
 */
export function isReady(object: StoredObject): boolean {
  const checked: StatusObject = object;
  const { generation, deletionTimestamp } = checked.metadata;
  if (deletionTimestamp !== undefined) return false;
  const observed = checked.status?.observedGeneration;
  if (observed !== undefined && generation !== undefined && observed < generation) return false;
  const rule = Object.hasOwn(rules, checked.kind) ? rules[checked.kind] : undefined;
  return rule === undefined ? !hasCondition(checked, "Ready") || isTrue(checked, "Ready") : rule(checked);
}

function hasCondition({ status }: StatusObject, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type) === true;
}

function isTrue({ status }: StatusObject, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}
