/** Resolves the Subscriptions of a namespace: states first, then a resolution, then plans. */
import { isApiError } from "@capstan/client";
import { Namespace } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { requeue, watch } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { isCopied } from "../csv/replacement.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { SubscriptionCondition, SubscriptionConditionType, SubscriptionStatus } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import type { ResolutionInput, Selection } from "../resolve/resolution.ts";
import { BundleContentError } from "../install-plan/steps.ts";
import { withoutUnapproved } from "../policy/candidates.ts";
import { rollbackOf } from "../rollback/annotations.ts";
import { planContent } from "./bundle-steps.ts";
import { withCondition, withoutConditions } from "./conditions.ts";
import type { Draft } from "./conditions.ts";
import { areCatalogsKnown, snapshots, toInput } from "./input.ts";
import type { Question } from "./input.ts";
import { oldPlans } from "./old-plans.ts";
import { dividePlans } from "./plans.ts";
import type { PlannedSelections } from "./plans.ts";
import { completeAbandoned, preparePlan, startPlan } from "./ensure-plan.ts";
import type { WantedPlan } from "./ensure-plan.ts";
import { isPending, nextState, planReference } from "./state.ts";

type NamespaceSync = Sync<Namespace>;

/** How long until a bundle that could not be read is tried again. */
const UNPACK_RETRY = 30_000;

/** The controller. A namespace is the unit of resolution. */
export function resolutionController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "resolution",
    kind: Namespace,
    watches: [Subscription, ClusterServiceVersion, InstallPlan, OperatorGroup].map((kind) =>
      watch(kind, ({ metadata }) => [metadata.namespace ?? ""]),
    ),
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: NamespaceSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object, find } = sync;
  const namespace = object.metadata.name;
  if (find(Subscription, { namespace }).length === 0) return undefined;
  const { cluster, clock } = setting;
  const plans = await cluster.list(InstallPlan, { namespace });
  for (const { metadata } of oldPlans(plans)) await cluster.remove(InstallPlan, { namespace, name: metadata.name });
  const subscriptions = await cluster.list(Subscription, { namespace });
  const groups = find(OperatorGroup, { namespace });
  const [group] = groups;
  if (group === undefined || groups.length > 1) {
    const found = `found ${groups.length} operatorGroups, expected 1`;
    sync.event(
      "Warning",
      "ResolutionFailed",
      `${found}: create exactly one OperatorGroup in the namespace ${namespace}`,
    );
    return undefined;
  }
  const csvs = (await cluster.list(ClusterServiceVersion, { namespace })).filter((csv) => !isCopied(csv));
  const isFailForward = group.spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
  const existing = { plans, csvs, isFailForward, now: nowOf(clock) };
  let hasChanged = false;
  for (const subscription of subscriptions) {
    const next = (status: Draft): Draft => nextState({ ...subscription, status: withTime(status, "") }, existing);
    hasChanged = (await writeStatus(subscription, next, setting)) || hasChanged;
  }
  // A rollback decides about the versions itself.
  if (subscriptions.some((each) => rollbackOf(each) !== undefined)) return undefined;
  if (hasChanged || subscriptions.every((each) => isPending(each, plans))) return undefined;
  const question = { namespace, globalNamespace: setting.namespace, group, subscriptions, csvs };
  return resolveNamespace({ sync, setting, question, plans });
}

interface Resolving {
  readonly sync: NamespaceSync;
  readonly setting: ManagerSetting;
  readonly question: Question;
  readonly plans: readonly InstallPlan[];
}

async function resolveNamespace(resolving: Resolving): Promise<ReconcileResult> {
  const { sync, setting, question } = resolving;
  const sight = { find: sync.find, store: setting.catalogs };
  if (!areCatalogsKnown(question, sight)) return requeue("500ms", { reason: "catalogs are being read" });
  const input = toInput(question, withoutUnapproved(snapshots(question, sight), question.subscriptions));
  const result = setting.resolve(input);
  switch (result.type) {
    case "unsatisfiable":
      sync.event("Warning", "ResolutionFailed", result.message);
      return report(resolving, {
        type: "ResolutionFailed",
        status: "True",
        reason: "ConstraintsNotSatisfiable",
        message: result.message,
      });
    case "failed":
      sync.event("Warning", "ResolutionFailed", result.message);
      return report(resolving, {
        type: "ResolutionFailed",
        status: "True",
        reason: "ErrorPreventedResolution",
        message: result.message,
      });
    case "solved":
      return planAll(resolving, { input, selections: result.selections });
    default:
      return result satisfies never;
  }
}

async function report(
  { question, setting }: Resolving,
  condition: SubscriptionCondition,
  stale: readonly SubscriptionConditionType[] = [],
): Promise<undefined> {
  const now = nowOf(setting.clock);
  const next = (status: Draft): Draft => withCondition(withoutConditions(status, stale, now), condition, now);
  for (const subscription of question.subscriptions) await writeStatus(subscription, next, setting);
  return undefined;
}

interface Solved {
  readonly input: ResolutionInput;
  readonly selections: readonly Selection[];
}

async function planAll(resolving: Resolving, { input, selections }: Solved): Promise<ReconcileResult> {
  const { question, setting, sync } = resolving;
  const open = selections.filter((selection) => !isPlanned(selection, resolving));
  const divided = dividePlans(question.subscriptions, { input, selections: open, resolve: setting.resolve });
  const made: MadePlan[] = [];
  let { plans } = resolving;
  for (const planned of divided) {
    const next = await planOne(planned, { ...resolving, plans });
    if (next instanceof Error) {
      sync.event("Warning", "BundleUnpackFailed", next.message);
      await report(resolving, unpackFailure(next), ["BundleUnpacking"]);
      return requeue(UNPACK_RETRY, { reason: next.message });
    }
    plans = [...plans, next.plan];
    made.push(next);
  }
  await settle(resolving, made);
  const used = new Set(made.map(({ plan }) => plan.metadata.name));
  const abandoned = resolving.plans.filter(({ metadata }) => !used.has(metadata.name));
  const isInstalled = (csv: string): boolean => question.csvs.some(({ metadata }) => metadata.name === csv);
  await completeAbandoned(abandoned, isInstalled, setting.cluster);
  for (const { plan, wanted } of made) await startPlan(plan, wanted, setting.cluster);
  return undefined;
}

/** Whether the plan of a Subscription already installs this bundle. */
function isPlanned({ subscriptions: names, bundle }: Selection, { question, plans }: Resolving): boolean {
  const found = question.subscriptions.filter(({ metadata }) => names.includes(metadata.name));
  return found.length > 0 && found.every((each) => isPending(each, plans) && each.status?.currentCSV === bundle.name);
}

function unpackFailure(error: Error): SubscriptionCondition {
  const reason = error instanceof BundleContentError ? "ErrorPreventedUnpacking" : "BundleUnpackFailed";
  const message = `Bundle unpacking failed: ${error.message}. The next attempt is in ${UNPACK_RETRY / 1000} s.`;
  return { type: "BundleUnpackFailed", status: "True", reason, message };
}

interface MadePlan {
  readonly plan: InstallPlan;
  readonly wanted: WantedPlan;
  readonly selections: readonly Selection[];
}

async function planOne({ approval, selections }: PlannedSelections, resolving: Resolving): Promise<MadePlan | Error> {
  const { question, setting, plans } = resolving;
  const { namespace, subscriptions } = question;
  let content;
  try {
    content = await planContent(selections, namespace, setting);
  } catch (error) {
    // Whatever is wrong with a bundle or its registry: it is reported and tried again.
    return error instanceof Error ? error : new Error(String(error));
  }
  const wanted = { namespace, approval, subscriptions, plans, ...content };
  return { plan: await preparePlan(wanted, setting.cluster), wanted, selections };
}

/** Writes the new references, and removes the conditions of an earlier failure. */
async function settle({ question, setting }: Resolving, made: readonly MadePlan[]): Promise<void> {
  const now = nowOf(setting.clock);
  const stale: readonly SubscriptionConditionType[] = ["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"];
  for (const subscription of question.subscriptions) {
    const { name } = subscription.metadata;
    const own = made.find(({ selections }) => selections.some((each) => each.subscriptions.includes(name)));
    const next = (status: Draft): Draft =>
      withoutConditions(own === undefined ? status : withPlan(status, { own, name, now }), stale, now);
    await writeStatus(subscription, next, setting);
  }
}

interface Chosen {
  readonly own: MadePlan;
  readonly name: string;
  readonly now: string;
}

function withPlan(status: Draft, { own: { plan, selections }, name, now }: Chosen): Draft {
  const bundle = selections.find((each) => each.subscriptions.includes(name))?.bundle.name ?? "";
  const generation = plan.spec.generation ?? 0;
  const reference = planReference(plan);
  return {
    ...status,
    ...reference,
    currentCSV: bundle,
    state: "UpgradePending",
    installPlanGeneration: generation,
    lastUpdated: now,
  };
}

function withTime(status: Draft, time: string): SubscriptionStatus {
  return { ...status, lastUpdated: status.lastUpdated ?? time };
}

const ATTEMPTS = 5;

/** Writes the next status if it differs, and says whether it did. Another writer in between leads to another attempt. */
async function writeStatus(
  subscription: Subscription,
  next: (status: Draft) => Draft,
  { cluster, clock }: ManagerSetting,
): Promise<boolean> {
  const { namespace = "", name } = subscription.metadata;
  let before: Subscription | undefined = subscription;
  for (let attempt = 1; before !== undefined; attempt++) {
    const status = withTime(next(before.status ?? {}), "");
    const timed = status.lastUpdated === "" ? { ...status, lastUpdated: nowOf(clock) } : status;
    if (isDeepEqual(timed, before.status) || isDeepEqual(status, withTime(before.status ?? {}, ""))) return false;
    try {
      await cluster.changeStatus(Subscription, { before, after: { ...before, status: timed } });
      return true;
    } catch (error) {
      if (!isApiError(error, "Conflict") || attempt === ATTEMPTS) throw error;
      before = await cluster.get(Subscription, { namespace, name });
    }
  }
  return false;
}
