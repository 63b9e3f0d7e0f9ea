/** What a Subscription would install, as a plan that is read before anything is changed. */
import {
  approvedVersionAnnotation,
  CatalogSource,
  type PlanReport,
  planReport,
  previewPlan,
  type RequestedSubscription,
  resolve,
  type Subscription,
} from "@capstan/lifecycle";
import { CliError } from "../errors.ts";
import { discoveryOf } from "./manager.ts";
import type { Connected } from "./options.ts";
import { contentReader } from "./read-catalog.ts";
import { readInput } from "./resolution-input.ts";

/** A change to look ahead at: a new Subscription, or a version that is approved. */
export interface PreviewQuestion {
  readonly globalNamespace: string;
  /** A Subscription that does not exist yet. */
  readonly subscribe?: RequestedSubscription;
  /** A Subscription with a version that a user would approve. */
  readonly approve?: { readonly subscription: Subscription; readonly version: string };
}

/** The plan; undefined if nothing would be installed. */
export async function previewReport(connected: Connected, question: PreviewQuestion): Promise<PlanReport | undefined> {
  const { cluster, client, namespace } = connected;
  const { globalNamespace, subscribe, approve } = question;
  const input = await readInput(connected, globalNamespace, {
    mayLackGroup: subscribe !== undefined,
    change: (each) =>
      each.metadata.uid === approve?.subscription.metadata.uid ? approved(each, approve.version) : each,
  });
  const subscriptions = subscribe === undefined ? input.subscriptions : [...input.subscriptions, subscribe];
  const result = resolve({ ...input, subscriptions });
  if (result.type !== "solved") throw new CliError("Failed", result.message);
  const wanted = subscribe?.name ?? approve?.subscription.metadata.name ?? "";
  // Only what this Subscription leads to: itself, and what nothing else asks for.
  const own = result.selections.filter(
    (each) => each.subscriptions.length === 0 || each.subscriptions.includes(wanted),
  );
  if (own.length === 0) return undefined;
  const sources = await Promise.all(
    [...new Set(own.map(({ catalog }) => catalog.namespace))].map((place) =>
      cluster.list(CatalogSource, { namespace: place }),
    ),
  );
  const plan = await previewPlan(own, {
    namespace,
    readBundle: contentReader(cluster).readBundle,
    secretsOf: ({ name, namespace: place }) =>
      sources.flat().find(({ metadata }) => metadata.name === name && metadata.namespace === place)?.spec.secrets ?? [],
  });
  return planReport(plan, { cluster, discovery: discoveryOf(client) });
}

function approved(subscription: Subscription, version: string): Subscription {
  const annotations = { ...subscription.metadata.annotations, [approvedVersionAnnotation]: version };
  return { ...subscription, metadata: { ...subscription.metadata, annotations } };
}
