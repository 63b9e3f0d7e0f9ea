import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { PAGE, RESULTS, toPage } from "./page.ts";
import { parseResults } from "./results.ts";

test("the page of faults matches the recorded results", async () => {
  const [results, page] = await Promise.all([RESULTS, PAGE].map((path) => readFile(path, "utf8")));
  assert.equal(page, toPage(parseResults(results ?? "")));
});

test("every fault was tried on both clusters", async () => {
  const page = await readFile(PAGE, "utf8");
  assert.doesNotMatch(page, /not measured/u);
});
