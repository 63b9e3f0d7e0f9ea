/** The catalogs as the Subscriptions of a namespace may use them: without versions that were rolled back or are not approved. */
import type { Subscription } from "../kinds/subscription.ts";
import { type Hold, withHolds } from "../resolve/hold.ts";
import type { CatalogSnapshot } from "../resolve/resolution.ts";
import { excludedAnnotation, excludedOf } from "../rollback/annotations.ts";
import { hasPolicy } from "./annotations.ts";
import { heldBundles } from "./decide.ts";

/** The snapshots with what the Subscriptions hold back. */
export function withoutUnapproved(
  snapshots: readonly CatalogSnapshot[],
  subscriptions: readonly Subscription[],
): readonly CatalogSnapshot[] {
  return subscriptions.reduce((all, subscription) => {
    const excluded = excludedOf(subscription).map((name): Hold => {
      return { name, reason: `the annotation ${excludedAnnotation} of the Subscription names it` };
    });
    if (excluded.length === 0 && !hasPolicy(subscription)) return all;
    const reason = `the policy of the Subscription ${subscription.metadata.name} does not approve it at the moment`;
    return withHolds(all, {
      of: subscription.spec.name,
      holds: (found) => [
        ...excluded,
        ...(hasPolicy(subscription) ? heldBundles(found, subscription).map(({ name }) => ({ name, reason })) : []),
      ],
    });
  }, snapshots);
}
