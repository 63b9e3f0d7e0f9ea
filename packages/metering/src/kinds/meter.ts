/** The kind Meter: one entry of `meters` of a book, under the name of the object. */
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Condition, Resource } from "@capstan/schema";

/** A Meter object; the rules of a book say what its spec may be. */
export interface MeterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: { readonly type?: string; readonly unit?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<"Accepted">[];
  };
}

/** The kind of meters. */
export type MeterKind = Omit<Resource<unknown, unknown, "Accepted">, "~types"> & Kind<MeterObject>;

const dimensions = s.record(s.string()).optional();

/** The kind of meters. */
export const MeterResource: MeterKind = defineResource({
  group: "metering.capstan.dev",
  version: "v1alpha1",
  kind: "Meter",
  scope: "Cluster",
  describe: "What is metered: the level of objects, a query of Prometheus, or records that are sent.",
  spec: s.object({
    type: s.enum("level", "counter", "event").optional().describe("Absent only for built-in meters"),
    unit: s.string().min(1).optional().describe("What is counted, such as member or GiB"),
    aggregate: s.enum("sum", "count", "max", "last", "unique").optional().describe("How events become one quantity"),
    unique: s.string().optional().describe("The dimension that aggregate unique counts"),
    dimensions: s.array(s.string()).optional().describe("Dimensions that records may have"),
    hash: s.array(s.string()).optional().describe("Dimensions that are stored as a keyed hash"),
    objects: s
      .object({
        apiVersion: s.string(),
        kind: s.string(),
        value: s.string().describe("The level, in CEL over object"),
        when: s.string().optional().describe("In CEL over object: where it is false, the level is 0"),
        dimensions,
      })
      .optional(),
    prometheus: s
      .object({
        query: s.string(),
        step: s.string().optional(),
        url: s.string().optional(),
        replicaLabels: s.array(s.string()).optional(),
        startsAtZero: s.boolean().optional(),
        dimensions,
      })
      .optional(),
  }),
  conditions: { Accepted: "The meter is part of the book" },
  columns: { Type: "spec.type", Unit: "spec.unit", Accepted: "condition:Accepted" },
  // The interface above repeats the types of the schema, which cannot be inferred across packages.
}) as unknown as MeterKind;
