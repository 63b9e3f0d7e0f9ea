/** Reconciles the approval policies of Subscriptions: records which versions they approve at the moment, and why the others wait. */
import type { CatalogPackage } from "@capstan/bundle";
import { isApiError } from "@capstan/client";
import { requeue } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { catalogKey } from "../catalog-source/store.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription, type SubscriptionCondition } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { formatMilliseconds, nowOf } from "../manager/time.ts";
import { withCondition, withoutConditions } from "../subscription/conditions.ts";
import { firstSeen, firstSeenAnnotation, hasPolicy, policyApprovedAnnotation, readPolicy } from "./annotations.ts";
import type { Policy } from "./annotations.ts";
import { approveWaiting } from "./approve-waiting.ts";
import { type Decision, decide, newerBundles } from "./decide.ts";
import { askOther } from "./other-cluster.ts";

type SubscriptionSync = Sync<Subscription>;

/** How often another cluster is asked. */
const ASK = 60_000;
/** Timers of this length at most: a later time is looked at again. */
const LONGEST = 3_600_000;
const FEW = 3;

/** The controller. */
export function policyController(setting: ManagerSetting): Controller {
  return defineSync({ name: "policy", kind: Subscription, sync: (sync) => reconcile(sync, setting) });
}

async function reconcile(sync: SubscriptionSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object } = sync;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  if (!hasPolicy(object)) return clear(object, setting);
  // A new version in the catalog changes its CatalogSource.
  sync.find(CatalogSource, { namespace: object.spec.sourceNamespace });
  const { installedCSV = "", currentCSV = "" } = object.status ?? {};
  // The first installation is what a user asks for.
  if (installedCSV === "") return approveWaiting(sync, { approved: [currentCSV], setting });
  const policy = readPolicy(object);
  if ("problem" in policy) {
    const message = `${policy.problem}; until then nothing is upgraded`;
    await write(sync, { approved: [], seen: firstSeen(object), hold: { reason: "InvalidPolicy", message } }, setting);
    return undefined;
  }
  const key = catalogKey({ namespace: object.spec.sourceNamespace, name: object.spec.source });
  const found = setting.catalogs.get(key)?.content?.catalog.packages.get(object.spec.name);
  return found === undefined ? undefined : judge(sync, { policy, found, setting });
}

interface Judging {
  readonly policy: Policy;
  readonly found: CatalogPackage;
  readonly setting: ManagerSetting;
}

async function judge(sync: SubscriptionSync, { policy, found, setting }: Judging): Promise<ReconcileResult> {
  const { object } = sync;
  const candidates = newerBundles(found, object);
  const now = setting.clock.wall();
  const seen = policy.minAge === 0 ? new Map<string, number>() : seenOf(candidates, { known: firstSeen(object), now });
  const other = policy.after && (await askOther(sync, { secret: policy.after.secret, setting }));
  const facts = { policy, installed: installedVersion(sync, found), candidates, firstSeen: seen, now };
  const decision = decide({ ...facts, ...(other && { other }) });
  await write(sync, { approved: decision.approved, seen, hold: holdOf(decision, object) }, setting);
  await approveWaiting(sync, { approved: decision.approved, setting });
  return again(decision, { now, asks: other !== undefined });
}

function installedVersion({ object, get }: SubscriptionSync, { bundles }: CatalogPackage): string {
  const { namespace = "" } = object.metadata;
  const name = object.status?.installedCSV ?? "";
  return bundles.get(name)?.version ?? get(ClusterServiceVersion, { namespace, name })?.spec.version ?? "";
}

function seenOf(
  candidates: readonly { readonly name: string }[],
  { known, now }: { readonly known: ReadonlyMap<string, number>; readonly now: number },
): ReadonlyMap<string, number> {
  // The annotation has seconds.
  const present = Math.floor(now / 1000) * 1000;
  return new Map(candidates.map(({ name }) => [name, known.get(name) ?? present]));
}

function holdOf({ held }: Decision, { metadata }: Subscription): Hold | undefined {
  const [first] = held;
  if (first === undefined) return undefined;
  const named = held.slice(0, FEW).map(({ message }) => message);
  const more = held.length > FEW ? [`${held.length - FEW} more versions wait`] : [];
  const way = `\`capstan lifecycle approve ${metadata.name} -n ${metadata.namespace ?? ""}\` approves ${first.name} now`;
  return { reason: first.reason, message: `${[...named, ...more].join("; ")}. ${way}` };
}

function again({ next }: Decision, { now, asks }: { readonly now: number; readonly asks: boolean }): ReconcileResult {
  const wait = Math.min(next === undefined ? Infinity : next - now + 1000, asks ? ASK : Infinity, LONGEST);
  return next === undefined && !asks ? undefined : requeue(wait, { reason: "the policy may approve more then" });
}

interface Hold {
  readonly reason: string;
  readonly message: string;
}

interface Outcome {
  readonly approved: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
  readonly hold: Hold | undefined;
}

/** The condition first: what is approved is resolved at once. */
async function write(
  { object, event }: SubscriptionSync,
  { approved, seen, hold }: Outcome,
  setting: ManagerSetting,
): Promise<void> {
  const told = object.status?.conditions?.find(({ type }) => type === "UpgradeHeld");
  if (hold !== undefined && told?.message !== hold.message) event("Normal", "UpgradeHeld", hold.message);
  const current = await report(object, hold, setting);
  const times = [...seen].map(([name, time]) => [name, formatMilliseconds(time)] as const);
  const {
    [policyApprovedAnnotation]: _approved,
    [firstSeenAnnotation]: _seen,
    ...others
  } = current.metadata.annotations ?? {};
  const annotations = {
    ...others,
    [policyApprovedAnnotation]: approved.join(","),
    ...(times.length === 0 ? {} : { [firstSeenAnnotation]: JSON.stringify(Object.fromEntries(times)) }),
  };
  await change(current, annotations, setting);
}

async function clear(object: Subscription, setting: ManagerSetting): Promise<undefined> {
  const {
    [policyApprovedAnnotation]: approved,
    [firstSeenAnnotation]: seen,
    ...others
  } = object.metadata.annotations ?? {};
  const current = await report(object, undefined, setting);
  if (approved !== undefined || seen !== undefined) await change(current, others, setting);
  return undefined;
}

async function change(
  before: Subscription,
  annotations: { readonly [name: string]: string },
  { cluster }: ManagerSetting,
): Promise<void> {
  const after = { ...before, metadata: { ...before.metadata, annotations } };
  await cluster.change(Subscription, { before, after });
}

const ATTEMPTS = 5;

/** Writes the condition if it is new, and returns the Subscription as it is then. */
async function report(object: Subscription, hold: Hold | undefined, setting: ManagerSetting): Promise<Subscription> {
  const { cluster, clock } = setting;
  const { namespace = "", name } = object.metadata;
  let before = object;
  for (let attempt = 1; ; attempt++) {
    const now = nowOf(clock);
    const known = before.status ?? { lastUpdated: now };
    const status =
      hold === undefined
        ? withoutConditions(known, ["UpgradeHeld"], now)
        : withCondition(known, toCondition(hold, now), now);
    if (status === known) return before;
    try {
      return await cluster.changeStatus(Subscription, { before, after: { ...before, status } });
    } catch (error) {
      if (!isApiError(error, "Conflict") || attempt === ATTEMPTS) throw error;
      before = (await cluster.get(Subscription, { namespace, name })) ?? before;
    }
  }
}

function toCondition({ reason, message }: Hold, now: string): SubscriptionCondition {
  return { type: "UpgradeHeld", status: "True", reason, message, lastTransitionTime: now };
}
