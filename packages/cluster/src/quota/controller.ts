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
import { again, anyChange, controller } from "@capstan/runtime";
import type { Answer, Controller } from "@capstan/runtime";
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

/** The controller of ResourceQuotas. */
export function quotaController({ client }: Setting, kinds: KnownKinds): Controller {
  return controller(
    ResourceQuota,
    {
      name: "resourcequota",
      reads: [Pod, Service, PersistentVolumeClaim, ...counted],
      on: anyChange,
      cache: { Pod: podIndexes },
    },
    async ({ object: quota, find, signal }): Promise<Answer> => {
      const hard = quota.spec?.hard ?? {};
      const names = Object.keys(hard);
      const parts: Usage[] = find(Pod)
        .filter((pod) => isInScope(pod, quota))
        .map(podUsage);
      if (!isScoped(quota)) {
        parts.push(...find(Service).map(serviceUsage), ...find(PersistentVolumeClaim).map(claimUsage));
        for (const kind of counted.filter(({ plural }) => names.some((name) => name.endsWith(plural)))) {
          parts.push(...find(kind).map(() => countUsage(kind.plural, kind.group)));
        }
      }
      const others = names.filter((name) => name.startsWith("count/") && !watched.has(name));
      parts.push(...(await countOthers(others, { client, kinds, quota })));
      const usage = sum(parts);
      const used = Object.fromEntries(names.map((name) => [name, formatQuantity(usage.get(name) ?? toQuantity(0))]));
      // A use of 0 is worth saying here, so the comparison must see it.
      if (!isSame(quota.status?.used, used) || !isSame(quota.status?.hard, hard)) {
        await writeStatus(client, ResourceQuota, { object: quota, status: { hard, used }, signal });
      }
      return others.length > 0 ? again(RECOUNT, "counting what is not watched") : undefined;
    },
  );
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
  readonly quota: ResourceQuota;
}

async function countOthers(names: readonly string[], { client, kinds, quota }: Census): Promise<readonly Usage[]> {
  if (names.length === 0) return [];
  const known = await kinds.current();
  const usages: Usage[] = [];
  for (const name of names) {
    const kind = known.find(
      ({ plural, group }) => name === (group === "" ? `count/${plural}` : `count/${plural}.${group}`),
    );
    if (kind === undefined || kind.scope !== "Namespaced") continue;
    const loose = metadataOnly(kind) as Kind<StoredObject, unknown, "Namespaced">;
    const { items } = await client.list(loose, { namespace: quota.metadata.namespace ?? "", limit: 0 }).all();
    usages.push(...items.map(() => countUsage(kind.plural, kind.group)));
  }
  return usages;
}
