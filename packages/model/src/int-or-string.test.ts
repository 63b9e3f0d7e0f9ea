import assert from "node:assert/strict";
import { test } from "node:test";
import { parseIntOrString, scaleIntOrPercent } from "./int-or-string.ts";
import { ParseError } from "./parse-error.ts";

test("a string that is a 32-bit number becomes one", () => {
  assert.equal(parseIntOrString("80"), 80);
  assert.equal(parseIntOrString("http"), "http");
  assert.equal(parseIntOrString("2147483648"), "2147483648");
});

test("a percentage is a share of the total, with the requested rounding", () => {
  assert.equal(scaleIntOrPercent("25%", 10, "up"), 3);
  assert.equal(scaleIntOrPercent("25%", 10, "down"), 2);
  assert.equal(scaleIntOrPercent(4, 10, "down"), 4);
});

test("an invalid percentage is rejected with Go's message", () => {
  assert.throws(
    () => scaleIntOrPercent("5", 10, "up"),
    new ParseError(
      "InvalidIntOrString",
      "5",
      "invalid value for IntOrString: invalid type: string is not a percentage",
    ),
  );
  assert.throws(
    () => scaleIntOrPercent("x%", 10, "up"),
    new ParseError(
      "InvalidIntOrString",
      "x%",
      'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
    ),
  );
});
