import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMemcached } from "./progress.ts";

test("a Memcached is described in one line at each stage", () => {
  const spec = { size: 3 };
  const condition = (status: string, message: string) => ({
    nodes: ["a"],
    conditions: [{ type: "Available", status, message }],
  });
  assert.deepEqual(describeMemcached({ spec }), {
    line: "memcached/cache  [...]  the operator has not seen it yet",
    available: false,
  });
  assert.deepEqual(describeMemcached({ spec, status: condition("False", "1 of 3") }), {
    line: "memcached/cache  [#..]  not yet: 1 of 3",
    available: false,
  });
  assert.equal(describeMemcached({ spec, status: condition("True", "3 of 3") }).available, true);
});
