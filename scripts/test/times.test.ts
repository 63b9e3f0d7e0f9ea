import assert from "node:assert/strict";
import { test } from "node:test";
import { slowestTable, timesOfLog } from "./times.ts";

const LOG = `ok    format (0.3 s)
FAIL  packages/a/test/red.test.ts (4 tests, 2.1 s, 1.3 s of CPU)
ok    packages/a/test/one.test.ts (2 tests, 2.1 s, 1.3 s of CPU)
ok    packages/b (41 tests, 50.1 s, 62.0 s of CPU)
`;

test("times are read from the output of a run, those of failures are not", () => {
  assert.deepEqual(timesOfLog(LOG), {
    "packages/a/test/one.test.ts": { seconds: 2.1, cpuSeconds: 1.3 },
    "packages/b": { seconds: 50.1, cpuSeconds: 62 },
  });
});

test("the table begins with the slowest group", () => {
  assert.match(slowestTable(timesOfLog(LOG), 1), /\| `packages\/b` \| 50 \| 62 \|$/);
});
