/** Checks the capability level and categories of an operator against fixed lists. */
import { quote } from "@capstan/model";
import type { Bundle } from "../read/bundle.ts";
import { aboutCsv, type Finding } from "./finding.ts";
import type { ValidatorValues } from "./validator.ts";

const levels = new Set(["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"]);

const usualCategories = [
  "AI/Machine Learning",
  "Application Runtime",
  "Big Data",
  "Cloud Provider",
  "Developer Tools",
  "Database",
  "Integration & Delivery",
  "Logging & Tracing",
  "Monitoring",
  "Modernization & Migration",
  "Networking",
  "OpenShift Optional",
  "Security",
  "Storage",
  "Streaming & Messaging",
  "Observability",
];

/** The level of capability. */
export function validateCapabilities({ csv }: Pick<Bundle, "csv">): Finding[] {
  const capability = csv.metadata?.annotations?.["capabilities"];
  if (capability === undefined || levels.has(capability)) return [];
  const detail = `csv.Metadata.Annotations.Capabilities ${quote(capability)} is not a valid capabilities level`;
  return [aboutCsv("Error", csv.metadata?.name ?? "", detail)];
}

/** The categories. */
export function validateCategories({ csv }: Pick<Bundle, "csv">, { categories }: ValidatorValues): Finding[] {
  const list = csv.metadata?.annotations?.["categories"];
  if (list === undefined) return [];
  const allowed = categories ?? usualCategories;
  const set = categories === undefined ? "standard" : "custom";
  return list
    .split(",")
    .filter((category) => !allowed.includes(category.trim()))
    .map((category) =>
      aboutCsv(
        "Error",
        csv.metadata?.name ?? "",
        `csv.Metadata.Annotations["categories"] value ${quote(category)} is not in the set of ${set} categories`,
      ),
    );
}
