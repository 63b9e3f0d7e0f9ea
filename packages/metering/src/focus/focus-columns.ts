/** The columns of FOCUS cost and usage data that are written, by version, in alphabetical order. */

/** The versions that can be written. */
export const focusVersions = ["1.2", "1.3"] as const;

/** A version of FOCUS. */
export type FocusVersion = (typeof focusVersions)[number];

/** Mandatory in 1.2. */
const mandatory = [
  "BilledCost",
  "BillingAccountId",
  "BillingAccountName",
  "BillingCurrency",
  "BillingPeriodEnd",
  "BillingPeriodStart",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargePeriodEnd",
  "ChargePeriodStart",
  "ContractedCost",
  "EffectiveCost",
  "InvoiceIssuerName",
  "ListCost",
  "PricingQuantity",
  "PricingUnit",
  "ProviderName",
  "PublisherName",
  "ServiceCategory",
  "ServiceName",
] as const;

const conditional = [
  "ChargeFrequency",
  "ConsumedQuantity",
  "ConsumedUnit",
  "InvoiceId",
  "RegionId",
  "ResourceId",
  "ResourceName",
  "ResourceType",
  "SkuId",
  "SkuPriceId",
  "SubAccountId",
  "SubAccountName",
  "Tags",
] as const;

/** New in 1.3. */
const newer = [
  "AllocatedMethodDetails",
  "AllocatedMethodId",
  "AllocatedResourceId",
  "AllocatedResourceName",
  "AllocatedTags",
  "HostProviderName",
  "ServiceProviderName",
] as const;

/** A column. */
export type FocusColumn = (typeof mandatory)[number] | (typeof conditional)[number] | (typeof newer)[number];

/** A charge: null is an empty cell. */
export type FocusRow = { readonly [column in FocusColumn]: string | null };

/** The columns of a version. */
export function focusColumns(version: FocusVersion): readonly FocusColumn[] {
  const all: FocusColumn[] = [...mandatory, ...conditional, ...(version === "1.3" ? newer : [])];
  return all.sort();
}
