/** Counts the usage of ResourceQuotas. */
import { metadataOnly } from "@capstan/client";
import type { Client } from "@capstan/client";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
} from "@capstan/kinds/v1";
import { formatQuantity, toQuantity } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import type { ServedKinds } from "../informer/served-kinds.ts";
import { podIndexes } from "../pod/indexes.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { claimUsage, countUsage, isInScope, podUsage, serviceUsage, sum } from "./usage.ts";
import type { Usage } from "./usage.ts";

const counted = [ConfigMap, Secret, ReplicationController, ResourceQuota] as const;
const watched: ReadonlySet<string> = new Set(
  ["pods", "services", "persistentvolumeclaims", ...counted.map(({ plural }) => plural)].map((one) => `count/${one}`),
);

/** How often unwatched kinds are counted, in milliseconds. */
const RESYNC_INTERVAL = 2_000;

/**
 * The longest time between the admission of an object and its creation, in milliseconds. Admission charges the quota first, so an earlier
 * count would release what is about to be used.
 */
const REPLENISH_DELAY = 50;

/** The controller of ResourceQuotas. */
export function quotaController({ client, clock }: ControllerContext, kinds: ServedKinds): Controller {
  return controller(
    ResourceQuota,
    {
      name: "resourcequota",
      reads: [Pod, Service, PersistentVolumeClaim, ...counted],
      predicate: anyChange,
      cache: { Pod: podIndexes },
    },
    async ({ object: quota, find, signal }): Promise<ReconcileResult> => {
      const others = Object.keys(quota.spec?.hard ?? {}).filter(
        (name) => name.startsWith("count/") && !watched.has(name),
      );
      const unwatched = { client, kinds, others };
      const objects: QuotaObjects = {
        pods: find(Pod),
        services: find(Service),
        claims: find(PersistentVolumeClaim),
        counted: counted.flatMap((kind) => find(kind).map(() => kind)),
      };
      const isCounted = isReported(quota, await count(quota, objects, unwatched));
      if (!isCounted) await recount(quota, { ...unwatched, clock, signal });
      return others.length > 0 ? requeue(RESYNC_INTERVAL, { reason: "recounting unwatched kinds" }) : undefined;
    },
  );
}

/** Counts after all charged objects have arrived. Later charges trigger another reconcile. */
async function recount(
  { metadata }: ResourceQuota,
  { clock, signal, ...unwatched }: UnwatchedKinds & Pick<ControllerContext, "clock"> & { readonly signal: AbortSignal },
): Promise<void> {
  const { client } = unwatched;
  const { name, namespace = "" } = metadata;
  const quota = await client.get(ResourceQuota, { namespace, name, signal });
  await new Promise<void>((resolve) => void clock.later(REPLENISH_DELAY, resolve));
  const status = await count(quota, await listObjects(client, namespace, signal), unwatched);
  if (!isReported(quota, status)) await writeStatus(client, ResourceQuota, { object: quota, status, signal });
}

/** The objects of a namespace that quotas count. */
interface QuotaObjects {
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** The kinds of all other objects, one entry per object. */
  readonly counted: readonly Pick<Kind, "plural" | "group">[];
}

async function listObjects(client: Client, namespace: string, signal: AbortSignal): Promise<QuotaObjects> {
  const query = { namespace, limit: 0, signal };
  const [pods, services, claims, ...others] = await Promise.all([
    client.list(Pod, query).all(),
    client.list(Service, query).all(),
    client.list(PersistentVolumeClaim, query).all(),
    ...counted.map(async (kind) => {
      const metadataKind = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
      return (await client.list(metadataKind, query).all()).items.map(() => kind);
    }),
  ]);
  return { pods: pods.items, services: services.items, claims: claims.items, counted: others.flat() };
}

type Counted = Required<Pick<NonNullable<ResourceQuota["status"]>, "hard" | "used">>;

async function count(quota: ResourceQuota, objects: QuotaObjects, unwatched: UnwatchedKinds): Promise<Counted> {
  const hard = quota.spec?.hard ?? {};
  const names = Object.keys(hard);
  const parts: Usage[] = objects.pods.filter((pod) => isInScope(pod, quota)).map(podUsage);
  if (!isScoped(quota)) {
    parts.push(...objects.services.map(serviceUsage), ...objects.claims.map(claimUsage));
    parts.push(...objects.counted.map(({ plural, group }) => countUsage(plural, group)));
  }
  parts.push(...(await countOthers(quota, unwatched)));
  const usage = sum(parts);
  const used = Object.fromEntries(names.map((name) => [name, formatQuantity(usage.get(name) ?? toQuantity(0))]));
  return { hard, used };
}

/** A usage of 0 must be reported, so this comparison keeps zeros. */
function isReported({ status }: ResourceQuota, { hard, used }: Counted): boolean {
  return isSame(status?.used, used) && isSame(status?.hard, hard);
}

/** Whether a quota applies only to some pods. */
function isScoped({ spec }: ResourceQuota): boolean {
  return (spec?.scopes?.length ?? 0) > 0 || spec?.scopeSelector !== undefined;
}

type Amounts = { readonly [name: string]: unknown } | undefined;

function sorted(amounts: Amounts): readonly [string, unknown][] {
  return Object.entries(amounts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isSame(a: Amounts, b: Amounts): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

interface UnwatchedKinds {
  readonly client: Client;
  readonly kinds: ServedKinds;
  /** The quota's `count/` names of unwatched kinds. */
  readonly others: readonly string[];
}

async function countOthers(
  { metadata: { namespace = "" } }: ResourceQuota,
  { client, kinds, others }: UnwatchedKinds,
): Promise<readonly Usage[]> {
  if (others.length === 0) return [];
  const known = await kinds.current();
  const usages: Usage[] = [];
  for (const name of others) {
    const kind = known.find(
      ({ plural, group }) => name === (group === "" ? `count/${plural}` : `count/${plural}.${group}`),
    );
    if (kind === undefined || kind.scope !== "Namespaced") continue;
    const metadataKind = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
    const { items } = await client.list(metadataKind, { namespace, limit: 0 }).all();
    usages.push(...items.map(() => countUsage(kind.plural, kind.group)));
  }
  return usages;
}
