/** Policies and bindings for one namespace, and the objects they are tested with. */
import { del, post } from "../../case.ts";
import type { Part } from "./widget.ts";

/** The API group of policies and webhooks. */
export const registration = "/apis/admissionregistration.k8s.io/v1";
/** The resource they are tested with. */
export const maps = "/api/v1/namespaces/{ns}/configmaps";
/** A setup step that is not compared. */
export const quietly = { quiet: true };
/** A setup step with a wait until kube-apiserver has seen it. */
export const settling = { quiet: true, settle: 1600 };
/** Matches only the namespace of the case. */
export const here = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } } };
/** Matches create and update of ConfigMaps. */
export const rules = (over: Part = {}) => [
  { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"], ...over },
];
/** A validating policy. */
export const policy = (spec: Part, rule: Part = {}) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "p-{ns}" },
  spec: { matchConstraints: { resourceRules: rules(rule), ...here }, ...spec },
});
/** Its binding. */
export const binding = (spec: Part = {}) => ({
  metadata: { name: "b-{ns}" },
  spec: { policyName: "p-{ns}", validationActions: ["Deny"], ...spec },
});
/** A validating policy and its binding. */
export const validating = (spec: Part, b: Part = {}, rule: Part = {}) => [
  post(`${registration}/validatingadmissionpolicies`, policy(spec, rule), quietly),
  post(`${registration}/validatingadmissionpolicybindings`, binding(b), settling),
];
/** Deletes both. */
export const unvalidated = [
  del(`${registration}/validatingadmissionpolicybindings/b-{ns}`, undefined, quietly),
  del(`${registration}/validatingadmissionpolicies/p-{ns}`, undefined, quietly),
];
/** A mutating policy and its binding. */
export const mutating = (mutations: readonly Part[], more: Part = {}, b: Part = {}) => [
  post(
    `${registration}/mutatingadmissionpolicies`,
    {
      metadata: { name: "p-{ns}" },
      spec: { matchConstraints: { resourceRules: rules(), ...here }, reinvocationPolicy: "Never", mutations, ...more },
    },
    quietly,
  ),
  post(
    `${registration}/mutatingadmissionpolicybindings`,
    { metadata: { name: "b-{ns}" }, spec: { policyName: "p-{ns}", ...b } },
    settling,
  ),
];
/** Deletes both. */
export const unmutated = [
  del(`${registration}/mutatingadmissionpolicybindings/b-{ns}`, undefined, quietly),
  del(`${registration}/mutatingadmissionpolicies/p-{ns}`, undefined, quietly),
];
/** A ConfigMap. */
export const map = (data: Part = { a: "1" }, meta: Part = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...meta },
  data,
});
