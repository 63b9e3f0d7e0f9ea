/** The rules of the group admissionregistration.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { mutatingAdmissionPolicyBinding, validatingAdmissionPolicyBinding } from "./binding.ts";
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "./policy.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "./webhook-configuration.ts";

export const admissionregistrationRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<
  ResourceName,
  ResourceRules
>([
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", mutatingAdmissionPolicy],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", mutatingAdmissionPolicyBinding],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", mutatingWebhookConfiguration],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", validatingAdmissionPolicy],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", validatingAdmissionPolicyBinding],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", validatingWebhookConfiguration],
]);
