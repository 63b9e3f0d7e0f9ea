/** The table of features is correct: every answer other than "no" names a test, and every named test exists. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const page = new URL("../../../docs/reference/features.md", import.meta.url);
const text = readFileSync(page, "utf8");
const rows = text
  .split("\n")
  .filter((line) => /^\| +\d+ +\|/u.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, number = "", feature = "", answer = "", shownBy = "", note = ""]) => ({
    number,
    feature,
    answer,
    links: [...shownBy.matchAll(/\[([^\]]+)\]\(([^)]+)\)/gu)].map(([, name = "", path = ""]) => ({ name, path })),
    note,
  }));

test("the table has every row, with an answer and its evidence", () => {
  assert.equal(rows.length, 72 + 18);
  for (const { feature, answer, links, note } of rows) {
    assert.match(answer, /^(?:yes|partly|no)$/u, feature);
    assert.equal(links.length > 0, answer !== "no", `${feature}: ${answer}`);
    if (answer === "partly") assert.notEqual(note, "", `${feature}: say what is missing`);
  }
});

test("every link of the table is the title of a test in the linked file", () => {
  for (const { feature, links } of rows) {
    for (const { name, path } of links) {
      const file = new URL(path, page);
      assert.ok(existsSync(file), `${feature}: there is no ${path}`);
      assert.ok(hasTest(readFileSync(file, "utf8"), name), `${feature}: ${path} has no test named "${name}"`);
    }
  }
});

test("every test that the table names can fail: it asserts or waits for a condition", () => {
  for (const { feature, links } of rows) {
    for (const { name, path } of links) {
      const body = bodyOf(readFileSync(new URL(path, page), "utf8"), name);
      assert.match(body, /\bassert\b|\buntil\(|new World\(/u, `${feature}: "${name}" shows nothing`);
    }
  }
});

/** The source of a test, from its title to the line that closes it, by its indentation. */
function bodyOf(source: string, name: string): string {
  const at = source.indexOf(JSON.stringify(name).slice(1, -1));
  const line = source.slice(source.lastIndexOf("\n", at) + 1);
  // For a title in a table of cases, or on its own line, the whole block is checked.
  const spaces = /^( *)(?:t\.)?test\(/u.exec(line)?.[1]?.length ?? 0;
  const rest = source.slice(at);
  return rest.slice(0, new RegExp(String.raw`\n {${spaces}}\S`, "u").exec(rest)?.index ?? rest.length);
}

/** Whether a file has a test of that name: as a literal title, as the beginning of a template, or in a table of cases. */
function hasTest(source: string, name: string): boolean {
  const text = quoted(JSON.stringify(name).slice(1, -1));
  const has = (pattern: string): boolean => new RegExp(pattern, "u").test(source);
  const call = String.raw`\b(?:test|t\.test)\(\s*`;
  // Cases of a table are arrays or objects that begin with their title, and a test runs the table with a variable as title.
  const isCase = has(String.raw`[[{]\s*(?:\w+: )?"${text}"`) && has(String.raw`${call}\w+,`);
  return has(`${call}"${text}"`) || has(String.raw`${call}\x60${text}[^\x60]*\$\{`) || isCase;
}

function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}

test("the sums match the rows", () => {
  const sums = [...text.matchAll(/^Of (\d+): (\d+) yes, (\d+) partly, (\d+) no\.$/gmu)].map((match) =>
    match.slice(1).map(Number),
  );
  const of = (part: typeof rows): number[] => [
    part.length,
    ...["yes", "partly", "no"].map((answer) => part.filter((row) => row.answer === answer).length),
  ];
  assert.deepEqual(sums, [of(rows.slice(0, 72)), of(rows.slice(72))]);
});

test("every example is killed between any two of its writes", () => {
  const examples = new URL("../../../examples/", import.meta.url);
  const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(folders.length >= 11);
  for (const { name } of folders)
    assert.match(
      readFileSync(new URL(`${name}/example.test.ts`, examples), "utf8"),
      /await crashEverywhere\(app, /u,
      name,
    );
});
