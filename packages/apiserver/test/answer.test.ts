import assert from "node:assert/strict";
import { test } from "node:test";
import { Normalizer } from "../conformance/answer.ts";

test("a generated suffix is normalized as a suffix, even if it looks like an age", () => {
  const said = (message: string): unknown => new Normalizer("room").answer(200, {}, { message }).body;
  for (const suffix of ["2457s", "4h22s", "x8k2z", "24567"]) {
    assert.deepEqual(said(`generated-${suffix} is 12s old`), { message: "generated-{suffix} is {age} old" });
  }
});
