/** Checks the parity table: the commands and tests that it names exist. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "../src/commands.ts";
import { escaped } from "./pattern.ts";

const page = new URL("../../../docs/reference/cli-parity.md", import.meta.url);
const text = readFileSync(page, "utf8");
const rows = text
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, number = "", feature = "", here = "", command = "", shown = ""]) => ({
    number,
    feature,
    here,
    command,
    links: [...shown.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = "", path = ""]) => ({ title, path })),
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
  const count = (word: string): number => rows.filter(({ here }) => here.startsWith(word)).length;
  const [yes, part] = [count("yes"), count("part")];
  assert.ok(text.includes(`Of 65: ${yes} yes, ${part} part, ${65 - yes - part} no.`), "the sums are those of the rows");
});

for (const { number, feature, here, command, links } of rows) {
  test(`${number} ${feature}: ${here}`, async () => {
    if (here.startsWith("no")) {
      assert.match(here, /^no: \w/, "says why");
      return;
    }
    assert.match(here, here.startsWith("part") ? /^part: \w/ : /^yes/);
    assert.ok(links.length > 0, "names what shows it");
    for (const { title, path } of links) {
      const file = new URL(path, page);
      assert.ok(existsSync(file), `there is no ${path}`);
      assert.ok(hasTest(readFileSync(file, "utf8"), title), `${path} has no test named "${title}"`);
    }
    for (const [, words = ""] of command.matchAll(/`([^`]+)`/g)) await mustBeUnderstood(words);
  });
}

/** A command line must name a command with its options, or a group with a command that has them. Placeholders of values are skipped. */
async function mustBeUnderstood(line: string): Promise<void> {
  const words = line.replace(/^capstan /, "").split(" ");
  const name = words.filter((word) => /^[a-z][a-z0-9-]*$/.test(word)).join(" ");
  const isCommandLine = line.startsWith("capstan ") || words.length > 1 || commands.some((one) => one.name === name);
  if (!isCommandLine || /[({@]|^npm /.test(line)) return;
  const meant = commands.filter((one) => one.name === name || one.name.startsWith(`${name} `));
  assert.ok(meant.length > 0, `${line} is no command`);
  const all = await Promise.all(meant.map(({ load }) => load()));
  const options = new Set(all.flatMap((one) => Object.keys(one.options)));
  for (const [, option = ""] of line.matchAll(/--([a-z0-9-]+)/g))
    assert.ok(options.has(option) || options.has(option.replace(/^no-/, "")), `${line}: there is no --${option}`);
}

/** Whether a file has a test of that title: literal, computed, or in a table of cases. */
function hasTest(source: string, title: string): boolean {
  const text = escaped(JSON.stringify(title).slice(1, -1));
  const call = String.raw`\b(?:test|t\.test)\(\s*`;
  if (new RegExp(`${call}"${text}"|name: "${text}"`).test(source)) return true;
  const computed = source.matchAll(
    new RegExp(String.raw`(?:${call}|const title = |name: )\x60([^\x60]*\$\{[^\x60]*)\x60`, "g"),
  );
  return [...computed].some(([, template = ""]) => isMadeBy(template, title, source));
}

/** The minimum number of words of a constant beginning of a computed title; fewer would match too many. */
const TELLING = 3;

/**
 * Whether a template produces a title: by its beginning, if that is long enough, or as a whole with values that are literals of the file.
 */
function isMadeBy(template: string, title: string, source: string): boolean {
  const [first = "", ...others] = template.split(/\$\{[^}]*\}/);
  if (first.startsWith(title)) return title.split(" ").length >= TELLING;
  const values = new RegExp(`^${[first, ...others].map(escaped).join("(.+)")}$`).exec(title)?.slice(1);
  return values?.every((value) => source.includes(`"${value}"`)) ?? false;
}
