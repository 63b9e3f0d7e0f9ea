import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "./conditions.ts";
import { conditionSetter } from "./conditions.ts";

test("a condition without a reason gets a valid one, whatever its type", () => {
  const reasonOf = (type: string, holds: boolean | "Unknown"): string | undefined => {
    const fields: { conditions?: Condition[] } = {};
    conditionSetter({ fields, generation: 1, time: () => "" })(type, holds);
    return fields.conditions?.[0]?.reason;
  };
  assert.equal(reasonOf("Available", true), "Available");
  assert.equal(reasonOf("Available", false), "NotAvailable");
  assert.equal(reasonOf("Available", "Unknown"), "Unknown");
  assert.equal(reasonOf("example.com/Fit-for.use", true), "Fit_for_use");
  assert.equal(reasonOf("example.com/Fit-for.use", false), "NotFit_for_use");
  assert.equal(reasonOf("2ndCopy", true), "Is2ndCopy");
});
