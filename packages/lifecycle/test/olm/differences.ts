/** Where our manager differs from the original on purpose. docs/reference/lifecycle-differences.md has the reasons. */
import type { Json } from "@capstan/model";
import type { Snapshot } from "./scenario.ts";

/** A difference: where it is, and why it is one. */
export interface Difference {
  readonly scenarios: readonly string[];
  /** Which objects are not compared; without a field, the whole objects. */
  readonly objects: RegExp;
  readonly field?: readonly string[];
  readonly why: string;
}

/** All of them. */
export const differences: readonly Difference[] = [
  {
    scenarios: ["group-deleted"],
    objects: /^ClusterServiceVersion /u,
    field: ["status"],
    why: "the original notices the missing group at the next resync",
  },
  {
    scenarios: ["drift-account-deleted", "drift-crd-deleted"],
    objects: /^ClusterServiceVersion /u,
    field: ["status"],
    why: "the original notices at the next resync that something is missing",
  },
  {
    scenarios: ["drift-deployment"],
    objects: /^Deployment /u,
    field: ["spec", "replicas"],
    why: "a Deployment is brought back if it was seen unavailable, which depends on time",
  },
];

/** The snapshot without what differs on purpose. */
export function withoutDifferences(snapshot: Snapshot, scenario: string): Snapshot {
  const own = differences.filter(({ scenarios }) => scenarios.includes(scenario));
  if (own.length === 0) return snapshot;
  const entries = Object.entries(snapshot).flatMap(([key, object]) => {
    const matching = own.filter(({ objects }) => objects.test(key));
    if (matching.some(({ field }) => field === undefined)) return [];
    return [[key, matching.reduce((kept, { field = [] }) => withoutField(kept, field), object)] as const];
  });
  return Object.fromEntries(entries);
}

function withoutField(value: Json, [first, ...rest]: readonly string[]): Json {
  if (first === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = value as { readonly [field: string]: Json };
  const { [first]: old, ...others } = fields;
  if (old === undefined || rest.length === 0) return others;
  return { ...others, [first]: withoutField(old, rest) };
}
