/** The kind UsageReport: a report that is made once or by a schedule, and kept in ConfigMaps or Secrets. */
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Condition, Resource } from "@capstan/schema";
import type { FocusVersion } from "../focus/focus-columns.ts";
import type { BucketKind } from "../time/bucket.ts";

/** How a result is written. */
export type ResultFormat = "json" | "csv" | "focus";

/** The spec of a report: the flags of `meter report`, and when it is made. */
export interface UsageReportSpec {
  readonly from?: string;
  readonly to?: string;
  readonly period?: string;
  readonly schedule?: { readonly cron: string; readonly timeZone?: string };
  readonly meters?: readonly string[];
  readonly by?: readonly string[];
  readonly bucket: BucketKind;
  readonly timeZone?: string;
  readonly tenant?: string;
  readonly where?: { readonly [dimension: string]: readonly string[] };
  readonly idle: "show" | "hide" | "share";
  readonly shared: "show" | "split";
  readonly ratio?: string;
  readonly cost: boolean;
  readonly asBilled: boolean;
  readonly spreadsheetSafe: boolean;
  readonly focusVersion: FocusVersion;
  readonly requireComplete: boolean;
  readonly waitForCoverage: string;
  readonly keep: number;
  readonly output: { readonly kind: "ConfigMap" | "Secret"; readonly name?: string; readonly format: ResultFormat };
}

/** A result that is kept. */
export interface KeptResult {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly cost?: string;
  /** Nothing of the period was unobserved. */
  readonly complete: boolean;
}

/** The conditions of a report. */
export type ReportCondition = "Complete" | "Failed";

/** A UsageReport object. */
export interface UsageReportObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: UsageReportSpec;
  readonly status?: {
    readonly lastPeriodEnd?: string;
    readonly nextPeriodEnd?: string;
    readonly doneGeneration?: number;
    readonly results?: readonly KeptResult[];
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<ReportCondition>[];
  };
}

/** The kind of reports. */
export type UsageReportKind = Omit<Resource<unknown, unknown, ReportCondition>, "~types"> & Kind<UsageReportObject>;

/** The kind of reports. */
export const UsageReportResource: UsageReportKind = defineResource({
  group: "metering.capstan.dev",
  version: "v1alpha1",
  kind: "UsageReport",
  shortNames: ["usage"],
  describe:
    "A report of usage and cost. It shows the tenant of its namespace; in a namespace of the administrators it shows all tenants.",
  spec: s.object({
    from: s.string().optional().describe("The first instant; with a schedule, where its first period begins"),
    to: s.string().optional().describe("The first instant that is not in the report; with a schedule, its end"),
    period: s.string().optional().describe("Instead of from and to: 2026-03, 2026-W10 or 2026-03-07"),
    schedule: s
      .object({
        cron: s.string().min(1).describe("Five fields. Each period lasts from one tick to the next"),
        timeZone: s.string().optional().describe("The zone of the ticks; default that of the report"),
      })
      .optional(),
    meters: s.array(s.string()).optional().describe("Only these meters"),
    by: s.array(s.string()).optional().describe("Dimensions of the rows"),
    bucket: s.enum("hour", "day", "week", "month", "total").default("total"),
    timeZone: s.string().optional().describe("The zone of days and buckets; default the tenant's, else the book's"),
    tenant: s.string().optional().describe("Only this tenant"),
    where: s.record(s.array(s.string())).optional().describe("Only rows with one of the values of each dimension"),
    idle: s.enum("show", "hide", "share").default("show"),
    shared: s.enum("show", "split").default("show"),
    ratio: s.string().optional().describe("A/B: the sum of one meter divided by that of another"),
    cost: s.boolean().default(true).describe("False leaves out cost"),
    asBilled: s.boolean().default(false).describe("The lines of closed invoices, not what is known today"),
    spreadsheetSafe: s.boolean().default(false).describe("A quote before CSV cells that a spreadsheet would run"),
    focusVersion: s.enum("1.2", "1.3").default("1.2"),
    requireComplete: s
      .boolean()
      .default(false)
      .describe("Wait for the data without limit, and fail if a part of the period was not observed"),
    waitForCoverage: s
      .string()
      .default("24h")
      .describe("How long after its period a report waits for data; then it is made of what is there"),
    keep: s.int32().min(1).max(1000).default(12).describe("How many results of a schedule are kept"),
    output: s
      .object({
        kind: s.enum("ConfigMap", "Secret").default("ConfigMap"),
        name: s.string().max(200).optional().describe("Default: the name of the report"),
        format: s.enum("json", "csv", "focus").default("json"),
      })
      .default({}),
  }),
  specRequired: true,
  rules: [
    s.rule("!has(self.period) || !(has(self.from) || has(self.to) || has(self.schedule))", "period stands alone"),
    s.rule(
      "has(self.period) || has(self.schedule) || (has(self.from) && has(self.to))",
      "a report needs schedule, period, or from and to",
    ),
  ],
  status: s.object({
    lastPeriodEnd: s.string().describe("The end of the last period that was reported"),
    nextPeriodEnd: s.string().describe("The end of the next period"),
    doneGeneration: s.int64().describe("The generation of the spec that a report without schedule was made for"),
    results: s.array(
      s.object({
        kind: s.enum("ConfigMap", "Secret"),
        name: s.string(),
        from: s.string(),
        to: s.string(),
        rows: s.int32(),
        cost: s.string().optional(),
        complete: s.boolean(),
      }),
    ),
  }),
  conditions: { Complete: "Every period that is over was reported", Failed: "The last period cannot be reported" },
  columns: {
    Schedule: "spec.schedule.cron",
    Complete: "condition:Complete",
    Reason: "reason:Complete",
    Last: "status.lastPeriodEnd",
    Next: { path: "status.nextPeriodEnd", wide: true },
  },
  // The interfaces above repeat the types of the schema, which cannot be inferred across packages.
}) as unknown as UsageReportKind;
