/** Reads the admission webhooks from the stored webhook configurations. */
import type { ClientConfig } from "../../outgoing/client-config.ts";
import type { KubeObject, LabelSelectorObject } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { MatchCondition } from "../expression/match-conditions.ts";
import type { Rule } from "../match/rules.ts";

/** One webhook of a configuration, with its defaults set. */
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

/** A webhook with its configuration, and an ID that is unique among all webhooks. */
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

/** All webhooks: sorted by configuration, then in the order of the configuration. Names may repeat there, so each ID has a number. */
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
