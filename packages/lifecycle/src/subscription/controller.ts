/** Reconciles the conditions of Subscriptions: the plan, the catalogs, the deprecations. */
import type { Controller } from "@capstan/runtime";
import { catalogKey } from "../catalog-source/store.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import type { Draft } from "./conditions.ts";
import { withDeprecations } from "./deprecation.ts";
import { withHealth } from "./health.ts";
import { withPlanStatus } from "./plan-status.ts";

/** The controller. */
export function subscriptionController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "subscription",
    kind: Subscription,
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile({ object, find, get }: Sync<Subscription>, setting: ManagerSetting): Promise<undefined> {
  const { metadata, spec, status } = object;
  const namespace = metadata.namespace ?? "";
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const now = nowOf(setting.clock);
  const places = namespace === setting.namespace ? [namespace] : [namespace, setting.namespace];
  const catalogs = places.flatMap((place) => find(CatalogSource, { namespace: place }));
  const name = status?.installPlanRef?.name;
  // A plan that was just created may not be in the cache yet.
  const plan =
    name === undefined
      ? undefined
      : (get(InstallPlan, { namespace, name }) ?? (await setting.cluster.get(InstallPlan, { namespace, name })));
  const known: Draft = status ?? {};
  const planned = withPlanStatus(known, plan, now);
  const healthy = withHealth(planned, object, { catalogs, now });
  const content = setting.catalogs.get(catalogKey({ namespace: spec.sourceNamespace, name: spec.source }))?.content;
  const found = { package: content?.catalog.packages.get(spec.name), now };
  const next = withDeprecations(healthy, spec, found);
  if (next === known) return undefined;
  const after = { ...object, status: { ...next, lastUpdated: next.lastUpdated ?? now } };
  await setting.cluster.changeStatus(Subscription, { before: object, after });
  return undefined;
}
