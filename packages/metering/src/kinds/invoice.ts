/** The kind Invoice: a closed invoice of the store, which can be read with kubectl and never changes. */
import { createHash } from "node:crypto";
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import type { Invoice } from "../invoice/invoice.ts";

/** The spec of an Invoice object: the closed invoice, whose status is known. */
export type InvoiceSpec = Omit<Invoice, "status" | "previous" | "hash" | "signature"> & {
  readonly previous?: string;
  readonly hash?: string;
  readonly signature?: string;
};

/** An Invoice object. */
export interface InvoiceObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: InvoiceSpec;
}

/** The kind of invoices. */
export type InvoiceKind = Omit<Resource<unknown, undefined, never>, "~types"> & Kind<InvoiceObject>;

const text = s.string().optional();

/** The kind of invoices. */
export const InvoiceResource: InvoiceKind = defineResource({
  group: "metering.capstan.dev",
  version: "v1alpha1",
  kind: "Invoice",
  scope: "Cluster",
  describe: "A closed invoice as the store has it. It cannot be changed; one that is deleted comes back.",
  spec: s.object({
    id: s.string(),
    tenant: s.string(),
    period: s.string(),
    start: s.string(),
    end: s.string(),
    timeZone: s.string(),
    currency: s.string(),
    lines: s.array(
      s.object({
        kind: s.string(),
        meter: text,
        period: text,
        credit: text,
        from: text,
        quantity: text,
        unit: text,
        price: text,
        per: text,
        cost: s.string(),
        amount: s.string(),
      }),
    ),
    total: s.string(),
    previous: text.describe("The hash of the tenant's invoice before"),
    hash: text,
    signature: text,
  }),
  rules: [s.rule("self == oldSelf", "a closed invoice cannot be changed")],
  columns: {
    Tenant: "spec.tenant",
    Period: "spec.period",
    Total: "spec.total",
    Currency: "spec.currency",
    Hash: { path: "spec.hash", wide: true },
  },
  // The interface above repeats the types of the schema, which cannot be inferred across packages.
}) as unknown as InvoiceKind;

/** The spec of the object of a closed invoice. */
export function specOf({ status: _status, previous, hash, signature, ...rest }: Invoice): InvoiceSpec {
  return {
    ...rest,
    ...(previous !== null && { previous }),
    ...(hash !== null && { hash }),
    ...(signature !== null && { signature }),
  };
}

/** The name of the object of an invoice: `2026-03.acme`. A tenant whose name no object could have gets a hash of it. */
export function invoiceName({ period, tenant }: Pick<Invoice, "period" | "tenant">): string {
  const isPlain = /^[a-z0-9]([-a-z0-9]{0,198}[a-z0-9])?$/.test(tenant);
  const owner = isPlain ? tenant : `hash.${createHash("sha256").update(tenant).digest("hex").slice(0, 40)}`;
  return `${period.toLowerCase()}.${owner}`;
}
