import assert from "node:assert/strict";
import { test } from "node:test";
import { qualified } from "./qualified.ts";

test("a valid name is unchanged", () => {
  for (const name of ["a", "shops-shop", "A.b_c-9", "x".repeat(63)]) assert.equal(qualified(name), name);
});

test("an invalid name becomes a valid and unique one", () => {
  const names = ["my shop", "my-shop-", "_x", "x_", "ü", "ö", "", "x".repeat(64), `${"x".repeat(63)}y`, "shops/shop"];
  const made = names.map(qualified);
  for (const name of made) assert.match(name, /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u);
  assert.equal(new Set(made).size, names.length);
});
