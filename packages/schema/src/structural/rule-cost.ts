/** Estimated costs of rules: each alone and all of a schema together have a limit. */
import type { DeclType } from "@capstan/cel";
import { escapeField } from "@capstan/cel";

import { declTypeOf } from "./rule-types.ts";
import { maxCardinality } from "./rules.ts";
import type { Schema } from "./schema.ts";

/** The limit for the estimated cost of one expression. */
export const expressionLimit: bigint = 10_000_000n;

/** The limit for the estimated cost of all rules of a schema. */
export const schemaLimit: bigint = 100_000_000n;

const maxUint64 = 2n ** 64n - 1n;

function multiply(cost: bigint, times: bigint): bigint {
  const product = cost * times;
  return product > maxUint64 ? maxUint64 : product;
}

/** The message for a cost that is over its limit. */
export function overBudget(what: string, cost: bigint, limit: bigint): string {
  const times = Number(cost) / Number(limit);
  const factor = times > 100 ? "more than 100x" : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** The costs of all rules so far, and the four most expensive. */
export interface TotalCost {
  total: bigint;
  dearest: readonly { readonly path: string; readonly cost: bigint }[];
}

/** Adds the cost of one expression. */
export function observeCost(costs: TotalCost, path: string, cost: bigint): void {
  costs.total = costs.total + cost > maxUint64 ? maxUint64 : costs.total + cost;
  if (cost < schemaLimit / 100n) return;
  costs.dearest = [...costs.dearest, { path, cost }]
    .sort((a, b) => (a.cost > b.cost ? -1 : a.cost < b.cost ? 1 : 0))
    .slice(0, 4);
}

/** A place in a schema with its type and its maximum number of occurrences in one object. */
export interface RuleContext {
  readonly schema: Schema | undefined;
  /** The number, or undefined where no limit is declared. */
  readonly cardinality: bigint | undefined;
  readonly costs: TotalCost;
  readonly isRoot: boolean;
  readonly decl: DeclType | undefined;
}

/** The context of the whole schema. */
export function rootContext(schema: Schema): RuleContext {
  return { schema, cardinality: 1n, costs: { total: 0n, dearest: [] }, isRoot: true, decl: declTypeOf(schema, true) };
}

/** The context of a property, of the items or of the values below a context. */
export function childContext(
  parent: RuleContext | undefined,
  schema: Schema | undefined,
  property?: string,
): RuleContext | undefined {
  if (parent === undefined) return undefined;
  const most = parent.schema === undefined ? undefined : maxElements(parent.schema);
  const bounded = parent.cardinality !== undefined && most !== undefined;
  return {
    schema,
    cardinality: bounded ? multiply(parent.cardinality ?? 0n, most ?? 0n) : undefined,
    costs: parent.costs,
    isRoot: false,
    decl:
      schema === undefined
        ? undefined
        : (childType(parent.decl, property) ?? declTypeOf(schema, schema.embeddedResource === true)),
  };
}

function childType(parent: DeclType | undefined, property: string | undefined): DeclType | undefined {
  if (property === undefined) return parent?.kind === "list" || parent?.kind === "map" ? parent.element : undefined;
  const field = escapeField(property);
  return field !== undefined && parent?.kind === "object" ? parent.fields.get(field)?.type : undefined;
}

function maxElements(schema: Schema): bigint | undefined {
  const limit = (value: number | undefined): bigint | undefined =>
    value === undefined ? undefined : BigInt(Math.max(0, Math.trunc(value)));
  if (schema.type === "array") return limit(schema.maxItems);
  if (schema.type === "object" && schema.additionalProperties !== undefined) return limit(schema.maxProperties);
  return 1n;
}

/** The cost of a rule for all places of an object together. */
export function costInObject(maxCost: bigint, context: RuleContext, decl: DeclType): bigint {
  return multiply(maxCost, context.cardinality ?? maxCardinality(decl));
}
