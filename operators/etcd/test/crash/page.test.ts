import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { makePage, PAGE } from "./page.ts";

test("the page of crashes matches the recorded data of both clusters", async () => {
  const page = await makePage();
  assert.equal(await readFile(PAGE, "utf8"), page);
  assert.doesNotMatch(page, /\| {2}\|/u);
});
