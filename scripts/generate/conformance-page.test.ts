import assert from "node:assert/strict";
import { test } from "node:test";
import { conformancePage } from "./conformance-page.ts";

test("the page of the bare server has over sixty tests, and a reason for each other", () => {
  const [, page] = conformancePage();
  assert.ok(page);
  assert.ok(Number(/^(\d+) of 138 passed/m.exec(page.text)?.[1]) >= 60);
  const failed = page.text.split("\n").filter((line) => /^\| (?:failed|skipped|not run) \|/.test(line));
  for (const line of failed) assert.match(line, /controller|collector/, line);
});

test("the page counts passed tests and contains no paths of the test machine", () => {
  const [page] = conformancePage();
  assert.ok(page);
  assert.match(page.text, /^\| api-only \| 138 \| \d+ \|$/m);
  assert.match(page.text, /^\| with-pods \| 305 \| \d+ \|$/m);
  assert.doesNotMatch(page.text, /\/tmp\/|\/root\//);
  const rows = page.text.split("\n").filter((line) => /^\| (?:passed|failed|skipped|not run) \|/.test(line));
  assert.equal(rows.length, 446);
});
