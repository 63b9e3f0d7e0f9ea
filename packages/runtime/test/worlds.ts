/** The two servers of tests in virtual time: a small model, and the embedded API server. */
import { startApiServer } from "@capstan/apiserver";
import type { Operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestOptions, TestWorld } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

/** Starts an operator in its own world. */
export type MakeWorld = (app: Operator) => Promise<TestWorld>;

/** On the model. Most of these tests expect failures. */
export async function onModel(app: Operator, options: TestOptions = {}): Promise<TestWorld> {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  return await testOperator(app, { api }, { failures: "expected", ...options, clock });
}

async function onEmbedded(app: Operator): Promise<TestWorld> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  return await testOperator(app, server, { failures: "expected", clock });
}

/** Both, with their names in test titles. */
export const worlds: readonly (readonly [string, MakeWorld])[] = [
  ["a model", onModel],
  ["the embedded API server", onEmbedded],
];
