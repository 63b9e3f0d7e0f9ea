/** Tests that imports survive a hundred kills of each source at random moments. */
import test from "node:test";
import { focusCase, objectsCase, prometheusCase, startSamples, survives, usageCase } from "./meter-crash.ts";

const rounds = Array.from({ length: 10 });

test("usage imports survive 100 kills", async () => {
  for (const _ of rounds) await survives(usageCase(4000), 10);
});
test("journal imports survive 100 kills", async () => {
  for (const _ of rounds) await survives(objectsCase(2000), 10);
});
test("bill imports survive 100 kills", async () => {
  for (const _ of rounds) await survives(focusCase(60), 10);
});
test("imports from Prometheus survive 100 kills", async () => {
  await using server = await startSamples();
  for (const _ of rounds) await survives(prometheusCase(server.url), 10);
});
