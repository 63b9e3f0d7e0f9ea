import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/admissionregistration.k8s.io/v1.ts";

export type * from "../../shapes/admissionregistration.k8s.io/v1.ts";

export type MutatingAdmissionPolicy = shapes.MutatingAdmissionPolicy;
export const MutatingAdmissionPolicy: Kind<shapes.MutatingAdmissionPolicy, shapes.MutatingAdmissionPolicyApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingAdmissionPolicy","plural":"mutatingadmissionpolicies","scope":"Cluster"} as const);
export type MutatingAdmissionPolicyBinding = shapes.MutatingAdmissionPolicyBinding;
export const MutatingAdmissionPolicyBinding: Kind<shapes.MutatingAdmissionPolicyBinding, shapes.MutatingAdmissionPolicyBindingApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingAdmissionPolicyBinding","plural":"mutatingadmissionpolicybindings","scope":"Cluster"} as const);
export type MutatingWebhookConfiguration = shapes.MutatingWebhookConfiguration;
export const MutatingWebhookConfiguration: Kind<shapes.MutatingWebhookConfiguration, shapes.MutatingWebhookConfigurationApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"MutatingWebhookConfiguration","plural":"mutatingwebhookconfigurations","scope":"Cluster"} as const);
export type ValidatingAdmissionPolicy = shapes.ValidatingAdmissionPolicy;
export const ValidatingAdmissionPolicy: Kind<shapes.ValidatingAdmissionPolicy, shapes.ValidatingAdmissionPolicyApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingAdmissionPolicy","plural":"validatingadmissionpolicies","scope":"Cluster"} as const);
export type ValidatingAdmissionPolicyBinding = shapes.ValidatingAdmissionPolicyBinding;
export const ValidatingAdmissionPolicyBinding: Kind<shapes.ValidatingAdmissionPolicyBinding, shapes.ValidatingAdmissionPolicyBindingApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingAdmissionPolicyBinding","plural":"validatingadmissionpolicybindings","scope":"Cluster"} as const);
export type ValidatingWebhookConfiguration = shapes.ValidatingWebhookConfiguration;
export const ValidatingWebhookConfiguration: Kind<shapes.ValidatingWebhookConfiguration, shapes.ValidatingWebhookConfigurationApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"admissionregistration.k8s.io","version":"v1","kind":"ValidatingWebhookConfiguration","plural":"validatingwebhookconfigurations","scope":"Cluster"} as const);
