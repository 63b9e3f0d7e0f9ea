/** Opens test worlds on the embedded API server, as `capstan/testing` does. */
import { startApiServer } from "@capstan/apiserver";
import { seededRandomness, testOperator } from "@capstan/runtime/testing";
import type { OpenWorld } from "../../src/testing/index.ts";

export const openWorld: OpenWorld = async (operator, options) => {
  const { clock } = options;
  const server = await startApiServer({ ...(clock && { clock }), randomness: seededRandomness(1) });
  return await testOperator(operator, server, options);
};
