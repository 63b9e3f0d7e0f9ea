import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "./terminal.ts";

test("npm in a checkout reports the user's folder, and projects use the checkout", () => {
  const env = { npm_package_name: "capstan-workspace", npm_lifecycle_event: "capstan", INIT_CWD: "/home/ann" };
  assert.deepEqual(placeOf(env, "/capstan"), { cwd: "/home/ann", env: { ...env, CAPSTAN_CHECKOUT: "/capstan" } });
  assert.equal(placeOf({ ...env, CAPSTAN_CHECKOUT: "/other" }, "/capstan").env["CAPSTAN_CHECKOUT"], "/other");
});

test("elsewhere nothing is assumed", () => {
  const env = { npm_package_name: "my-operator", npm_lifecycle_event: "dev", INIT_CWD: "/x" };
  assert.deepEqual(placeOf(env, "/here"), { cwd: "/here", env });
});
