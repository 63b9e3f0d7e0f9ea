import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { SHOWN } from "./shown.ts";
import { titlesIn } from "./titles.ts";

const operator = join(import.meta.dirname, "../..");
const read = (page: string): Promise<string> => readFile(join(operator, page), "utf8");

/** The cells of a section's table, without its head. */
function tableOf(markdown: string, heading: string): readonly (readonly string[])[] {
  const [, section = ""] = markdown.split(`## ${heading}\n`);
  const [own = ""] = section.split(/^## /mu);
  const rows = own.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) =>
    row
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
}

/** Supported in full: neither "no" nor "partly", and proven by a test or a page. */
function isFull(row: readonly string[]): boolean {
  const [here = "", shown = ""] = row.slice(-2);
  return here !== "no" && !shown.startsWith("partly");
}

for (const heading of ["Compared", "Capabilities"]) {
  test(`README: ${heading} counts correctly, and a test proves every full row`, async () => {
    const readme = await read("README.md");
    const rows = tableOf(readme, heading);
    const full = rows.filter(isFull);
    const [, section = ""] = readme.split(`## ${heading}\n`);
    const told = /(?<full>\d+)\s+of\s+(?<all>\d+)\s+are\s+here\s+in\s+full/u.exec(section)?.groups;
    assert.deepEqual([told?.["full"], told?.["all"]], [String(full.length), String(rows.length)]);
    for (const row of full) assert.match(row.at(-1) ?? "", /\.test\.ts\)|security\.md\)|faults\.md\)/u, row[0]);
  });
}

/** The files with tests that a row links to. */
function testsOf(row: readonly string[]): readonly string[] {
  const links = (row.at(-1) ?? "").matchAll(/\]\((?<file>[^)]+\.test\.ts)\)/gu);
  return [...links].map(({ groups }) => groups?.["file"] ?? "");
}

for (const heading of ["Compared", "Capabilities"]) {
  test(`README: ${heading} names a test in every file that it links to`, async () => {
    for (const row of tableOf(await read("README.md"), heading)) {
      for (const file of testsOf(row)) {
        const meant = Object.values(SHOWN[file] ?? {}).filter((rows) => rows.includes(row[0] ?? ""));
        assert.ok(meant.length > 0, `shown.ts does not say which test of ${file} shows: ${row[0]}`);
      }
    }
  });
}

test("every test that a row names exists, and the row links to it", async () => {
  const readme = await read("README.md");
  const rows = ["Compared", "Capabilities"].flatMap((heading) => tableOf(readme, heading));
  const linked = new Set(rows.flatMap((row) => testsOf(row).map((file) => `${file}: ${row[0]}`)));
  for (const [file, meant] of Object.entries(SHOWN)) {
    const titles = await titlesIn(join(operator, file));
    for (const [words, shown] of Object.entries(meant)) {
      assert.ok(
        titles.some((title) => title.includes(words)),
        `${file} has no test: ${words}`,
      );
      for (const row of shown) assert.ok(linked.has(`${file}: ${row}`), `${row} does not link to ${file}`);
    }
  }
});

test("every link of the README and of the pages resolves", async () => {
  // The reference is generated and has no links, but has patterns that look like links.
  const isPage = (name: string): boolean => name.endsWith(".md") && name !== "reference.md";
  const pages = ["README.md", ...(await readdir(join(operator, "docs"))).filter(isPage).map((name) => `docs/${name}`)];
  for (const page of pages) {
    for (const { groups } of (await read(page)).matchAll(/\]\((?<target>[^)#\s]+)(?:#[^)]*)?\)/gu)) {
      const target = groups?.["target"] ?? "";
      if (/^https?:/u.test(target)) continue;
      assert.ok(existsSync(join(operator, dirname(page), target)), `${page}: ${target}`);
    }
  }
});
