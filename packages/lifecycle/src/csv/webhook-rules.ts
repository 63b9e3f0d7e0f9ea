/** Whether the webhooks of an operator are allowed: unique names, and no rules that reach the manager or other webhooks. */
import type { CsvWebhook } from "../kinds/csv.ts";

/** The message about the first webhook that is not allowed. */
export function invalidWebhook(webhooks: readonly CsvWebhook[]): string | undefined {
  const names = new Set<string>();
  for (const { generateName, rules = [] } of webhooks) {
    if (names.has(generateName)) return "CSV contains repeated WebhookDescription name";
    names.add(generateName);
    for (const { apiGroups = [], resources = [] } of rules) {
      if (apiGroups.includes("*")) return "webhook rules cannot include all groups";
      if (apiGroups.includes("operators.coreos.com")) return "webhook rules cannot include the OLM group";
      if (apiGroups.includes("admissionregistration.k8s.io") && resources.some((each) => PROTECTED.has(each))) {
        return "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources";
      }
    }
  }
  return undefined;
}

/** The original compares with kinds; the resources with these names are protected too. */
const PROTECTED: ReadonlySet<string> = new Set([
  "*",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
]);
