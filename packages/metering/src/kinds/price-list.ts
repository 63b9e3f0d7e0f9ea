/** The kind PriceList: a book without its meters, or a part of one. */
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Condition, Resource } from "@capstan/schema";

/** A PriceList object; the rules of a book say what its spec may be. */
export interface PriceListObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: { readonly [section: string]: unknown };
  readonly status?: {
    readonly invoices?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<"Accepted" | "Mirrored">[];
  };
}

/** The kind of price lists. */
export type PriceListKind = Omit<Resource<unknown, unknown, "Accepted" | "Mirrored">, "~types"> & Kind<PriceListObject>;

const labels = s.record(s.string()).optional();
const names = s.object({ cpu: s.string().optional(), gpu: s.string().optional(), memory: s.string().optional() });
const decimal = s.string().describe("A decimal as text, such as 0.25");

/** The kind of price lists. */
export const PriceListResource: PriceListKind = defineResource({
  group: "metering.capstan.dev",
  version: "v1alpha1",
  kind: "PriceList",
  scope: "Cluster",
  describe: "What usage costs, and the other sections of a book. All price lists together are one book.",
  spec: s.object({
    currency: s.string().optional(),
    timeZone: s.string().optional(),
    ratingPeriod: s.enum("month", "week", "day").optional(),
    importFrom: s.string().optional(),
    tenants: s.object({ label: s.string().optional(), timeZones: labels }).optional(),
    prices: s
      .array(
        s.object({
          meter: s.string(),
          amount: decimal.optional(),
          per: s.string(),
          from: s.string().optional(),
          when: labels,
          tiers: s.enum("graduated", "volume", "package").optional(),
          steps: s
            .array(s.object({ upTo: decimal.optional(), amount: decimal.optional(), flat: decimal.optional() }))
            .optional(),
        }),
      )
      .optional(),
    minimums: s.array(s.object({ tenant: s.string().optional(), amount: decimal })).optional(),
    credits: s
      .array(
        s.object({
          id: s.string(),
          tenant: s.string(),
          amount: decimal,
          from: s.string().optional(),
          to: s.string().optional(),
        }),
      )
      .optional(),
    shared: s
      .array(
        s.object({
          name: s.string(),
          match: s.record(s.string()),
          by: s.unknown().optional().describe("cost, even, { quantity: METER } or { weights: { a: 3, b: 1 } }"),
        }),
      )
      .optional(),
    exchange: s
      .array(s.object({ from: s.string(), to: s.string(), rate: decimal, since: s.string().optional() }))
      .optional(),
    nodes: s
      .object({
        capacity: names,
        request: names.optional(),
        usage: names.optional(),
        weights: names.optional(),
        price: s
          .array(s.object({ amount: decimal, per: s.string().optional(), match: labels, from: s.string().optional() }))
          .optional(),
        bill: s.enum("focus").optional(),
      })
      .optional(),
    retention: s.object({ usage: s.string().optional(), journal: s.string().optional() }).optional(),
    bill: s.object({ namespaceTag: s.string().optional() }).optional(),
  }),
  status: s.object({ invoices: s.int32().describe("Closed invoices of the store") }),
  conditions: {
    Accepted: "The list is part of the book",
    Mirrored: "Closed invoices are there as Invoice objects",
  },
  columns: { Currency: "spec.currency", Accepted: "condition:Accepted", Invoices: "status.invoices" },
  // The interface above repeats the types of the schema, which cannot be inferred across packages.
}) as unknown as PriceListKind;
