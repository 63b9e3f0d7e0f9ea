/** Turns a report into charges of FOCUS: one for each row with a cost. */
import type { Book } from "../book/book.ts";
import type { JsonReport, JsonRow } from "../engine/run-report.ts";
import { canonicalDimensions } from "../record/parse-record.ts";
import { boundsOf, nameOf } from "../time/bucket.ts";
import { type Zone, zoneOf } from "../time/zone.ts";
import type { FocusRow } from "./focus-columns.ts";

/** What charges need beside the report. */
export interface FocusContext {
  readonly book: Book;
  /** The tenant of all rows, where the report is of one tenant. */
  readonly tenant?: string | undefined;
  /** The rows are lines of closed invoices. */
  readonly isBilled?: boolean;
}

const issuer = "capstan";

/** The charges of a report; rows without a cost are left out. */
export function focusRows(report: JsonReport, context: FocusContext): FocusRow[] {
  return report.rows.flatMap((row) =>
    row.cost === undefined || row.cost === null ? [] : [charge(row, row.cost, { ...context, report })],
  );
}

interface Charging extends FocusContext {
  readonly report: JsonReport;
}

function charge(row: JsonRow, cost: string, { book, tenant: only, report, isBilled }: Charging): FocusRow {
  const { dimensions, charge: kind } = row;
  const tenant = textOf(dimensions["tenant"]) ?? textOf(only);
  const zone = zoneOf(zoneNameOf({ book, report }, tenant));
  const period = periodOf(row, { book, zone });
  const quantity = row.quantity ?? null;
  const unit = textOf(row.unit);
  const resource = resourceOf(dimensions);
  const isAllocated = kind === "allocation" || kind === "idle" || kind === "shared";
  return {
    ...costs(cost),
    BillingAccountId: textOf(dimensions["cluster"]) ?? issuer,
    BillingAccountName: textOf(dimensions["cluster"]) ?? issuer,
    BillingCurrency: report.currency,
    ...period,
    ...categoryOf(kind),
    ChargeDescription: `${kind} of ${row.meter}`,
    ChargeFrequency: "Usage-Based",
    ChargePeriodEnd: toSeconds(row.end),
    ChargePeriodStart: toSeconds(row.start),
    InvoiceIssuerName: issuer,
    PricingQuantity: quantity,
    PricingUnit: unit,
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    ProviderName: issuer,
    PublisherName: issuer,
    ServiceCategory: row.meter.startsWith("node.allocation.") ? "Compute" : "Other",
    ServiceName: row.meter,
    SkuId: row.meter,
    SkuPriceId: row.meter,
    InvoiceId: isBilled === true && tenant !== null ? invoiceId(row, { book, zone, tenant }) : null,
    RegionId: textOf(dimensions["region"]),
    ...resource,
    SubAccountId: tenant,
    SubAccountName: tenant,
    Tags: tagsOf(dimensions),
    AllocatedMethodDetails: isAllocated ? '{"Method":"proportional to the weights of the row"}' : null,
    AllocatedMethodId: isAllocated ? `capstan.${kind}` : null,
    AllocatedResourceId: isAllocated ? resource.ResourceId : null,
    AllocatedResourceName: isAllocated ? resource.ResourceName : null,
    AllocatedTags: isAllocated ? tagsOf(dimensions) : null,
    HostProviderName: issuer,
    ServiceProviderName: issuer,
  };
}

function textOf(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}

function costs(cost: string): Pick<FocusRow, "BilledCost" | "ContractedCost" | "EffectiveCost" | "ListCost"> {
  return { BilledCost: cost, ContractedCost: cost, EffectiveCost: cost, ListCost: cost };
}

function categoryOf(kind: JsonRow["charge"]): Pick<FocusRow, "ChargeCategory" | "ChargeClass"> {
  switch (kind) {
    case "credit":
      return { ChargeCategory: "Credit", ChargeClass: null };
    case "minimum":
      return { ChargeCategory: "Adjustment", ChargeClass: null };
    case "correction":
      return { ChargeCategory: "Usage", ChargeClass: "Correction" };
    default:
      return { ChargeCategory: "Usage", ChargeClass: null };
  }
}

function resourceOf(dimensions: JsonRow["dimensions"]): Pick<FocusRow, "ResourceId" | "ResourceName" | "ResourceType"> {
  for (const [name, type] of [
    ["pod", "Pod"],
    ["pvc", "PersistentVolumeClaim"],
    ["node", "Node"],
    ["namespace", "Namespace"],
  ] as const) {
    const value = textOf(dimensions[name]);
    if (value === null) continue;
    const namespace = name === "pod" || name === "pvc" ? textOf(dimensions["namespace"]) : null;
    return {
      ResourceId: namespace === null ? value : `${namespace}/${value}`,
      ResourceName: value,
      ResourceType: type,
    };
  }
  return { ResourceId: null, ResourceName: null, ResourceType: null };
}

function tagsOf(dimensions: JsonRow["dimensions"]): string | null {
  const text = canonicalDimensions(Object.entries(dimensions));
  return text === "{}" ? null : text;
}

function zoneNameOf(
  { book, report }: { readonly book: Book; readonly report: JsonReport },
  tenant: string | null,
): string {
  return tenant === null ? report.timeZone : (book.tenantZones.get(tenant) ?? book.timeZone);
}

/** The invoice of a row that lies in one rating period. */
function invoiceId(
  { start, end }: JsonRow,
  { book, zone, tenant }: { readonly book: Book; readonly zone: Zone; readonly tenant: string },
): string | null {
  const [from, to] = boundsOf(book.ratingPeriod, zone, Date.parse(start));
  return Date.parse(end) <= to ? `${nameOf(book.ratingPeriod, zone, from)}/${tenant}` : null;
}

function periodOf(
  { start, end }: JsonRow,
  { book, zone }: { readonly book: Book; readonly zone: Zone },
): Pick<FocusRow, "BillingPeriodStart" | "BillingPeriodEnd"> {
  const [from] = boundsOf(book.ratingPeriod, zone, Date.parse(start));
  const [, to] = boundsOf(book.ratingPeriod, zone, Date.parse(end) - 1);
  return {
    BillingPeriodStart: toSeconds(new Date(from).toISOString()),
    BillingPeriodEnd: toSeconds(new Date(to).toISOString()),
  };
}

/** FOCUS writes times without milliseconds. */
function toSeconds(instant: string): string {
  return instant.replace(/\.\d{3}Z$/, "Z");
}
