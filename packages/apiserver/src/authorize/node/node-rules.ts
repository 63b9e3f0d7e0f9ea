/** The rules of all nodes, for resources that the node authorizer does not look at one by one. */
import type { PolicyRule } from "../rbac/policy-rule.ts";

const read = ["get", "list", "watch"];

/** The part of kube-apiserver's rules for nodes that no other check of the node authorizer decides. */
export const nodeRules: readonly PolicyRule[] = [
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"] },
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews", "localsubjectaccessreviews"],
  },
  { verbs: read, apiGroups: [""], resources: ["services"] },
  { verbs: ["create", "update", "patch"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
  { verbs: ["get"], apiGroups: [""], resources: ["endpoints"] },
  {
    verbs: ["create", ...read],
    apiGroups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests"],
  },
  { verbs: read, apiGroups: ["storage.k8s.io"], resources: ["csidrivers"] },
  { verbs: read, apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"] },
];
