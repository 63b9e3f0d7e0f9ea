/** The conditions of a Subscription whose package, channel or bundle is deprecated. */
import type { CatalogPackage } from "@capstan/bundle";
import type { SubscriptionConditionType } from "../kinds/subscription.ts";
import type { SubscriptionSpec } from "../kinds/subscription.ts";
import { conditionOf, withCondition, withoutConditions } from "./conditions.ts";
import type { Draft } from "./conditions.ts";

/** The status with the deprecations of what is installed; the same status if nothing changed. */
export function withDeprecations(
  status: Draft,
  spec: SubscriptionSpec,
  found: { readonly package: CatalogPackage | undefined; readonly now: string },
): Draft {
  const installed = status.installedCSV ?? "";
  const channels = [...(found.package?.channels.values() ?? [])];
  const channel =
    spec.channel === undefined || spec.channel === ""
      ? channels.find(({ entries }) => entries.has(installed))
      : channels.find(({ name }) => name === spec.channel);
  if (found.package === undefined || channel?.entries.has(installed) !== true) return status;
  const isNamed = spec.channel !== undefined && spec.channel !== "";
  const messages: readonly (readonly [SubscriptionConditionType, string | undefined])[] = [
    ["PackageDeprecated", found.package.deprecation],
    ["ChannelDeprecated", isNamed ? channel.deprecation : undefined],
    ["BundleDeprecated", found.package.bundles.get(installed)?.deprecation],
  ];
  const all = messages.flatMap(([, message]) => message ?? []).join("; ");
  return [...messages, ["Deprecated", all === "" ? undefined : all] as const].reduce<Draft>(
    (known, [type, message]) => withDeprecation(known, { type, message, now: found.now }),
    status,
  );
}

interface Deprecation {
  readonly type: SubscriptionConditionType;
  readonly message: string | undefined;
  readonly now: string;
}

function withDeprecation(status: Draft, { type, message, now }: Deprecation): Draft {
  if (message === undefined) return withoutConditions(status, [type], now);
  if (conditionOf(status, type)?.message === message) return status;
  return withCondition(status, { type, status: "True", message, lastTransitionTime: now }, now);
}
