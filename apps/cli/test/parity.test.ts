/** The table of what the classic tools can do is true as far as it can be checked: commands and tests that it names exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands } from "../src/commands.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url));
const rows = readFileSync(join(checkout, "docs/reference/cli-parity.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, number = "", feature = "", here = "", command = "", tests = ""]) => ({
    number,
    feature,
    here,
    command,
    tests,
  }));

test("the table has a row for each feature", () => {
  const numbers = rows.flatMap(({ number }) => {
    const [first = 0, last = first] = number.split("–").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
  assert.deepEqual(
    numbers,
    Array.from({ length: 65 }, (_, at) => at + 1),
  );
  assert.ok(rows.filter(({ here }) => here.startsWith("yes")).length >= 45);
});

for (const { number, feature, here, command, tests } of rows) {
  test(`${number} ${feature}: ${here}`, () => {
    if (here.startsWith("no")) {
      assert.match(here, /^no: \w/, "says why");
      return;
    }
    assert.match(here, here.startsWith("part") ? /^part: \w/ : /^yes/);
    const files = tests.split(", ");
    for (const file of files) {
      const path = file.startsWith("packages/") ? file : join("apps/cli/test", file);
      assert.ok(file.endsWith(".ts") && existsSync(join(checkout, path)), `${path} is there`);
    }
    for (const [, words = ""] of command.matchAll(/`capstan ([a-z0-9 -]+)`/g))
      assert.ok(
        commands.some(({ name }) => words === name || words.startsWith(`${name} `)),
        `capstan ${words} is a command`,
      );
  });
}
