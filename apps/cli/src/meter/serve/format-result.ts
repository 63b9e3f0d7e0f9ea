/** Writes the result of a UsageReport as text. */
import type { MeteringTools } from "@capstan/metering/controllers";
import { focusCsv, reportCsv } from "../report-output.ts";

/** JSON, CSV or FOCUS, as the object asks. */
export const formatResult: MeteringTools["format"] = (report, { format, spec, book }) => {
  switch (format) {
    case "csv":
      return reportCsv(report, { withCost: report.total.cost !== undefined, spreadsheetSafe: false });
    case "focus":
      return focusCsv(report, { book, tenant: spec.tenant, version: "1.2" });
    case "json":
      return `${JSON.stringify(report)}\n`;
  }
};
