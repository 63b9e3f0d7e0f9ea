import assert from "node:assert/strict";
import { test } from "node:test";
import { containerTotals } from "./pod-resources.ts";
import { formatQuantity } from "./quantity.ts";

test("lists of containers that are null count as empty", () => {
  assert.equal(containerTotals({ containers: null, initContainers: null }, "requests").size, 0);
});

test("an init container counts together with the sidecars before it", () => {
  const resources = { requests: { cpu: "1" } };
  const totals = containerTotals(
    {
      containers: [{ resources }],
      initContainers: [{ restartPolicy: "Always", resources }, { resources }, { resources }],
    },
    "requests",
  );
  assert.deepEqual(
    [...totals].map(([name, sum]) => [name, formatQuantity(sum)]),
    [["cpu", "2"]],
  );
});
