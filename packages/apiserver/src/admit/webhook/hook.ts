/** Types of webhooks in configurations. */
import type { ClientConfig } from "../../outgoing/client-config.ts";
import type { KubeObject, LabelSelectorObject } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { MatchCondition } from "../expression/match-conditions.ts";
import type { Rule } from "../match/rules.ts";

/** One webhook, with defaults. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
}

/** A webhook with a unique ID among all webhooks. */
export interface PlacedHook {
  readonly id: string;
  /** The name of its configuration. */
  readonly configuration: string;
  readonly hook: Webhook;
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const resources = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
} as const;

/** All webhooks: configurations by name, webhooks in their order. Names may repeat, so each ID has a number. */
export function hooksOf(type: keyof typeof resources, lookup: Lookup): PlacedHook[] {
  const configurations = lookup.list(resources[type]) as readonly Configuration[];
  return configurations.flatMap(({ metadata, webhooks = [] }) => {
    const seen = new Map<string, number>();
    return webhooks.map((hook) => {
      const number = seen.get(hook.name) ?? 0;
      seen.set(hook.name, number + 1);
      const configuration = metadata.name ?? "";
      return { id: `${configuration}/${hook.name}/${number}`, configuration, hook };
    });
  });
}
