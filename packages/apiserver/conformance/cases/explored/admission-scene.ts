/** Policies and bindings for one namespace, and what they are tried on. */
import { del, post } from "../../case.ts";
import type { Part } from "./widget.ts";

/** Where policies and webhooks are registered. */
export const registration = "/apis/admissionregistration.k8s.io/v1";
/** What they are tried on. */
export const maps = "/api/v1/namespaces/{ns}/configmaps";
/** Makes the scene. */
export const quietly = { quiet: true };
/** Makes the scene and waits until the real server has seen it. */
export const settling = { quiet: true, settle: 1600 };
/** Only the namespace of the case. */
export const here = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } } };
/** Configmaps that are made or changed. */
export const rules = (over: Part = {}) => [
  { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"], ...over },
];
/** A policy that validates. */
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
/** A policy that validates, and its binding. */
export const validating = (spec: Part, b: Part = {}, rule: Part = {}) => [
  post(`${registration}/validatingadmissionpolicies`, policy(spec, rule), quietly),
  post(`${registration}/validatingadmissionpolicybindings`, binding(b), settling),
];
/** Takes both away. */
export const unvalidated = [
  del(`${registration}/validatingadmissionpolicybindings/b-{ns}`, undefined, quietly),
  del(`${registration}/validatingadmissionpolicies/p-{ns}`, undefined, quietly),
];
/** A policy that mutates, and its binding. */
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
/** Takes both away. */
export const unmutated = [
  del(`${registration}/mutatingadmissionpolicybindings/b-{ns}`, undefined, quietly),
  del(`${registration}/mutatingadmissionpolicies/p-{ns}`, undefined, quietly),
];
/** A configmap. */
export const map = (data: Part = { a: "1" }, meta: Part = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...meta },
  data,
});
