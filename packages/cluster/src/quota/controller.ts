/** Counts what a namespace takes from its quotas. */
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
import type { KnownKinds } from "../follow/kinds.ts";
import { podIndexes } from "../pod/cache.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { claimUsage, countUsage, isInScope, podUsage, serviceUsage, sum } from "./usage.ts";
import type { Usage } from "./usage.ts";

const counted = [ConfigMap, Secret, ReplicationController, ResourceQuota] as const;
const watched: ReadonlySet<string> = new Set(
  ["pods", "services", "persistentvolumeclaims", ...counted.map(({ plural }) => plural)].map((one) => `count/${one}`),
);

/** How often kinds are counted that are not watched, in milliseconds. */
const RECOUNT = 2_000;

/**
 * How long an object may take from being charged to being there, in milliseconds. Admission charges first, so a count that follows too closely
 * would take back what is about to be used.
 */
const IN_FLIGHT = 50;

/** The controller of ResourceQuotas. */
export function quotaController({ client, clock }: Setting, kinds: KnownKinds): Controller {
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
      const census = { client, kinds, others };
      const stock: Stock = {
        pods: find(Pod),
        services: find(Service),
        claims: find(PersistentVolumeClaim),
        counted: counted.flatMap((kind) => find(kind).map(() => kind)),
      };
      const isCounted = isSaid(quota, await count(quota, stock, census));
      if (!isCounted) await recount(quota, { ...census, clock, signal });
      return others.length > 0 ? requeue(RECOUNT, { reason: "counting what is not watched" }) : undefined;
    },
  );
}

/** Counts what is there after all that was charged so far has arrived; whoever is charged meanwhile causes another turn. */
async function recount(
  { metadata }: ResourceQuota,
  { clock, signal, ...census }: Census & Pick<Setting, "clock"> & { readonly signal: AbortSignal },
): Promise<void> {
  const { client } = census;
  const { name, namespace = "" } = metadata;
  const quota = await client.get(ResourceQuota, { namespace, name, signal });
  await new Promise<void>((resolve) => void clock.later(IN_FLIGHT, resolve));
  const status = await count(quota, await takeStock(client, namespace, signal), census);
  if (!isSaid(quota, status)) await writeStatus(client, ResourceQuota, { object: quota, status, signal });
}

/** What a namespace holds that quotas may be about. */
interface Stock {
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** The kinds of all others, once for each object. */
  readonly counted: readonly Pick<Kind, "plural" | "group">[];
}

async function takeStock(client: Client, namespace: string, signal: AbortSignal): Promise<Stock> {
  const query = { namespace, limit: 0, signal };
  const [pods, services, claims, ...others] = await Promise.all([
    client.list(Pod, query).all(),
    client.list(Service, query).all(),
    client.list(PersistentVolumeClaim, query).all(),
    ...counted.map(async (kind) => {
      const loose = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
      return (await client.list(loose, query).all()).items.map(() => kind);
    }),
  ]);
  return { pods: pods.items, services: services.items, claims: claims.items, counted: others.flat() };
}

type Counted = Required<Pick<NonNullable<ResourceQuota["status"]>, "hard" | "used">>;

async function count(quota: ResourceQuota, stock: Stock, census: Census): Promise<Counted> {
  const hard = quota.spec?.hard ?? {};
  const names = Object.keys(hard);
  const parts: Usage[] = stock.pods.filter((pod) => isInScope(pod, quota)).map(podUsage);
  if (!isScoped(quota)) {
    parts.push(...stock.services.map(serviceUsage), ...stock.claims.map(claimUsage));
    parts.push(...stock.counted.map(({ plural, group }) => countUsage(plural, group)));
  }
  parts.push(...(await countOthers(quota, census)));
  const usage = sum(parts);
  const used = Object.fromEntries(names.map((name) => [name, formatQuantity(usage.get(name) ?? toQuantity(0))]));
  return { hard, used };
}

/** A use of 0 is worth saying here, so the comparison must see it. */
function isSaid({ status }: ResourceQuota, { hard, used }: Counted): boolean {
  return isSame(status?.used, used) && isSame(status?.hard, hard);
}

/** Whether a quota is about some pods only. */
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

interface Census {
  readonly client: Client;
  readonly kinds: KnownKinds;
  /** The names of a quota that count kinds which are not watched. */
  readonly others: readonly string[];
}

async function countOthers(
  { metadata: { namespace = "" } }: ResourceQuota,
  { client, kinds, others }: Census,
): Promise<readonly Usage[]> {
  if (others.length === 0) return [];
  const known = await kinds.current();
  const usages: Usage[] = [];
  for (const name of others) {
    const kind = known.find(
      ({ plural, group }) => name === (group === "" ? `count/${plural}` : `count/${plural}.${group}`),
    );
    if (kind === undefined || kind.scope !== "Namespaced") continue;
    const loose = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
    const { items } = await client.list(loose, { namespace, limit: 0 }).all();
    usages.push(...items.map(() => countUsage(kind.plural, kind.group)));
  }
  return usages;
}
