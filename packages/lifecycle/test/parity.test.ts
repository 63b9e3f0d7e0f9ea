/** Checks the parity table: 66 rows, the sums, and that each linked test exists. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

const page = new URL("../../../docs/reference/lifecycle-parity.md", import.meta.url);
const text = readFileSync(page, "utf8");
const rows = text
  .split("\n")
  .filter((line) => /^\| \d/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, number = "", feature = "", here = "", shown = ""]) => ({
    number,
    feature,
    here,
    links: [...shown.matchAll(/\[([^\]]+)\]\(([^)]+)\)/gu)].map(([, title = "", path = ""]) => ({ title, path })),
  }));

test("the table has a row for each feature, and the sums of its rows", () => {
  assert.deepEqual(
    rows.map(({ number }) => Number(number)),
    Array.from({ length: 66 }, (_, at) => at + 1),
  );
  const count = (word: string): number => rows.filter(({ here }) => here.startsWith(word)).length;
  const [yes, partly] = [count("yes"), count("partly")];
  assert.ok(text.includes(`Of 66: ${yes} yes, ${partly} partly, ${66 - yes - partly} no.`));
});

test("what is there is shown by tests, and what is missing is named", () => {
  for (const { feature, here, links } of rows) {
    assert.match(here, /^yes|^partly: [`\w]|^no: \w/u, feature);
    if (here.startsWith("yes")) assert.ok(links.length > 0, `${feature} has no test`);
    for (const { title, path } of links) {
      const file = new URL(path, page);
      assert.ok(existsSync(file), `there is no ${path}`);
      assert.ok(readFileSync(file, "utf8").includes(`test("${title}"`), `${path} has no test "${title}"`);
    }
  }
});
