/** The two servers that tests in virtual time run on: a small model, and the embedded API server. */
import { startApiServer } from "@capstan/apiserver";
import type { Operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestOptions, TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

/** Starts an operator in a world of its own. */
export type MakeWorld = (app: Operator) => Promise<TestWorld>;

/** On the model. Failures are what most of these tests are about. */
export async function onModel(app: Operator, options: TestOptions = {}): Promise<TestWorld> {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  return await testOperator(app, { api }, { failures: "expected", ...options, clock });
}

async function onEmbedded(app: Operator): Promise<TestWorld> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
  });
  return await testOperator(app, server, { failures: "expected", clock });
}

/** Both, with the name that a test has for each. */
export const worlds: readonly (readonly [string, MakeWorld])[] = [
  ["a model", onModel],
  ["the embedded API server", onEmbedded],
];
