import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/apps/v1.ts";

export type * from "../../shapes/apps/v1.ts";

export type ControllerRevision = shapes.ControllerRevision;
export const ControllerRevision: Kind<shapes.ControllerRevision, shapes.ControllerRevisionApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"apps","version":"v1","kind":"ControllerRevision","plural":"controllerrevisions","scope":"Namespaced"} as const);
export type DaemonSet = shapes.DaemonSet;
export const DaemonSet: Kind<shapes.DaemonSet, shapes.DaemonSetApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"apps","version":"v1","kind":"DaemonSet","plural":"daemonsets","scope":"Namespaced"} as const);
export type Deployment = shapes.Deployment;
export const Deployment: Kind<shapes.Deployment, shapes.DeploymentApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"apps","version":"v1","kind":"Deployment","plural":"deployments","scope":"Namespaced"} as const);
export type ReplicaSet = shapes.ReplicaSet;
export const ReplicaSet: Kind<shapes.ReplicaSet, shapes.ReplicaSetApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"apps","version":"v1","kind":"ReplicaSet","plural":"replicasets","scope":"Namespaced"} as const);
export type StatefulSet = shapes.StatefulSet;
export const StatefulSet: Kind<shapes.StatefulSet, shapes.StatefulSetApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"apps","version":"v1","kind":"StatefulSet","plural":"statefulsets","scope":"Namespaced"} as const);
