import assert from "node:assert/strict";
import { test } from "node:test";
import { modelSuite } from "../../src/testing/index.ts";
import { explore } from "../../src/testing/primary/explore.ts";
import { change } from "../../src/testing/primary/steps.ts";
import { settledWorld } from "../../src/testing/primary/world.ts";
import { store } from "./store.ts";

for (const { title, run } of modelSuite(store)) test(title, run);

test("replicas take a new password without a loss of writes", () => {
  const { acknowledgements } = store.topology;
  const budget = { writes: 1, crashes: 1, cuts: 1, losses: 0 };
  const found = explore({ ...settledWorld({ size: 3, budget, acknowledgements }), login: "new" }, 10_000);
  assert.equal(found.violation, undefined, found.violation?.join("\n"));
});

test("the model finds a primary that does not wait for acknowledgements", () => {
  const { acknowledgements } = store.topology;
  const budget = { writes: 1, crashes: 0, cuts: 1, losses: 0 };
  const careless = change(settledWorld({ size: 3, budget, acknowledgements }), "m-0", () => ({ acknowledgements: 0 }));
  assert.notEqual(explore(careless, 20_000).violation, undefined, "the record says 1, but the primary waits for 0");
});
