/** Queries of the cache: a namespace, labels, an index value. */
import type { ObjectMeta } from "@capstan/model";
import type { IndexValues } from "./indexes.ts";

/** A condition on one label. */
export type LabelTest =
  | string
  | { readonly in: readonly string[] }
  | { readonly notIn: readonly string[] }
  | { readonly exists: boolean };

/** One value of an index. */
export interface IndexQuery {
  readonly name: string;
  readonly value: string;
  /** Computes the index; absent if it was declared by name in the cache settings of its kind. */
  readonly values?: IndexValues | undefined;
}

/** A query. All given conditions must hold. */
export interface Query {
  /** Absent: every cached namespace. */
  readonly namespace?: string | undefined;
  readonly labels?: { readonly [label: string]: LabelTest } | undefined;
  /** Objects owned by this uid. */
  readonly owner?: string | undefined;
  /** An index, and the value to look up. */
  readonly index?: IndexQuery | undefined;
}

/** Whether metadata satisfies the namespace, the labels and the owner of a query. */
export function matchesQuery(metadata: ObjectMeta, query: Query): boolean {
  if (query.namespace !== undefined && (metadata.namespace ?? "") !== query.namespace) return false;
  if (query.owner !== undefined && !isOwnedBy(metadata, query.owner)) return false;
  return query.labels === undefined || matchesLabels(metadata.labels ?? {}, query.labels);
}

function isOwnedBy(metadata: ObjectMeta, uid: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/** Whether labels pass every test. */
export function matchesLabels(
  labels: { readonly [label: string]: string },
  tests: { readonly [label: string]: LabelTest },
): boolean {
  for (const label in tests) {
    const test = tests[label];
    if (test !== undefined && !passes(labels[label], test)) return false;
  }
  return true;
}

function passes(value: string | undefined, test: LabelTest): boolean {
  if (typeof test === "string") return value === test;
  if ("in" in test) return value !== undefined && test.in.includes(value);
  // As in Kubernetes: an absent label is not in any set.
  if ("notIn" in test) return value === undefined || !test.notIn.includes(value);
  return (value !== undefined) === test.exists;
}

/** The first label that must equal one value, if there is one: an index can serve it. */
export function equalityOf(query: Query): { readonly label: string; readonly value: string } | undefined {
  for (const label in query.labels) {
    const test = query.labels[label];
    if (typeof test === "string") return { label, value: test };
  }
  return undefined;
}
