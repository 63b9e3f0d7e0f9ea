/**
 * node:test follows every promise with an async hook, to name the test that an uncaught error belongs to. That takes a quarter of the CPU
 * time of tests with many promises. Without the hook such an error still fails the process.
 */
import asyncHooks from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";

const { createHook } = asyncHooks;

/** A hook that is never enabled. */
const idle = { enable: () => idle, disable: () => idle };

asyncHooks.createHook = (callbacks) => {
  const [, , caller = ""] = (new Error("the caller").stack ?? "").split("\n");
  return caller.includes("node:internal/test_runner/") ? idle : createHook(callbacks);
};
syncBuiltinESMExports();
