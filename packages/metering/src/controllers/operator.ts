/** The controllers of metering as one operator. */
import { type Operator, operator } from "@capstan/runtime";
import { meterController, priceListController } from "./book-controllers.ts";
import { reportController } from "./report-controller.ts";
import type { MeteringTools } from "./tools.ts";

/** The operator that serves Meter, PriceList, UsageReport and Invoice. */
export function meteringOperator(tools: MeteringTools): Operator {
  return operator({
    name: "capstan-metering",
    controllers: [meterController(), priceListController(tools), reportController(tools)],
  });
}
