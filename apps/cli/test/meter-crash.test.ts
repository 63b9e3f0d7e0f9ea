/** Tests that imports survive kill -9: a few kills of each source; the long test kills a hundred times. */
import test from "node:test";
import { focusCase, objectsCase, prometheusCase, startSamples, survives, usageCase } from "./meter-crash.ts";

test("usage imports that are killed continue without loss or double count", () => survives(usageCase(400), 2));
test("journal imports that are killed continue without loss or double count", () => survives(objectsCase(200), 1));
test("bill imports that are killed continue without loss or double count", () => survives(focusCase(20), 1));
test("imports from Prometheus that are killed continue without loss or double count", async () => {
  await using server = await startSamples();
  await survives(prometheusCase(server.url), 1);
});
