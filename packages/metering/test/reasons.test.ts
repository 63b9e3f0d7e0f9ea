/** Tests of what is refused: every reason of an import, and books with a mistake, with line and suggestion. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { importUsage, openFolderStore, parseBook, type Store } from "../src/index.ts";

const book = parseBook(`
meters:
- { name: calls, type: event, unit: call }
- { name: most, type: event, unit: call, aggregate: max }
- { name: members, type: level, unit: member }
`);
const now = Date.UTC(2026, 2, 10);

async function opened(t: TestContext): Promise<Store & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "reasons-"));
  const store = await openFolderStore(folder, { lock: { pid: process.pid } });
  t.after(async () => {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return store;
}

async function put(store: Store, values: readonly unknown[]) {
  async function* inputs() {
    for (const [at, value] of values.entries()) yield { where: `test:${at + 1}`, value };
  }
  return importUsage(inputs(), { store, book, batch: 2, source: "usage", now });
}

const event = { meter: "calls", at: "2026-03-01T00:00:00Z", amount: "1" };
const level = { meter: "members", start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z", amount: "2" };

const refused: readonly (readonly [string, unknown])[] = [
  ["BadRecord", [1]],
  ["BadRecord", "text"],
  ["BadRecord", { ...event }],
  ["BadRecord", { ...event, id: "" }],
  ["BadRecord", { ...event, id: 7 }],
  ["BadRecord", { ...event, id: "d", dimensions: ["x"] }],
  ["BadRecord", { ...event, id: "d", dimensions: { x: { y: 1 } } }],
  ["BadRecord", { ...event, id: "n", namespace: 3 }],
  ["UnknownMeter", { ...event, id: "m", meter: "cals" }],
  ["UnknownMeter", { id: "m", at: event.at, amount: "1" }],
  ["BadTime", { ...event, id: "t", at: "2026-02-30T00:00:00Z" }],
  ["BadTime", { ...event, id: "t", at: "2026-03-01 00:00:00" }],
  ["BadTime", { ...event, id: "t", at: undefined }],
  ["BadTime", { ...level, id: "t", end: level.start }],
  ["BadTime", { ...level, id: "t", end: undefined }],
  ["BadAmount", { ...event, id: "a", amount: "NaN" }],
  ["BadAmount", { ...event, id: "a", amount: "1e24" }],
  ["BadAmount", { ...event, id: "a", amount: "-1" }],
  ["BadAmount", { ...event, id: "a", amount: "1,5" }],
  ["BadAmount", { ...event, id: "a", amount: true }],
  ["BadAmount", { ...event, id: "a", amount: undefined }],
  ["BadAmount", { id: "a", corrects: "first", amount: "x" }],
  ["Future", { ...event, id: "f", at: "2026-03-10T00:05:00.001Z" }],
  ["Future", { ...level, id: "f", end: "2026-03-10T00:05:00.001Z" }],
  ["UnknownCorrected", { id: "c", corrects: "nobody", amount: "-1" }],
  ["UnknownCorrected", { id: "c", corrects: "correction", amount: "-1" }],
  ["OverCorrected", { id: "c", corrects: "first", amount: "-1.000001" }],
  ["BadRecord", { id: "c", corrects: "most", amount: "-1" }],
  ["Conflict", { ...event, id: "first", amount: "1.000001" }],
  ["Conflict", { ...event, id: "first", namespace: "other" }],
  ["Conflict", { id: "correction", corrects: "second", amount: "-0.5" }],
];

test("each record that cannot count is refused with its reason, and no other", async (t) => {
  const store = await opened(t);
  const good = [
    { ...event, id: "first" },
    { ...event, id: "second" },
    { ...event, id: "most", meter: "most" },
    { id: "correction", corrects: "second", amount: "-1" },
    { ...event, id: "soon", at: "2026-03-10T00:05:00Z" },
  ];
  assert.equal((await put(store, good)).stored, good.length);
  for (const [reason, value] of refused) {
    const result = await put(store, [value, { ...event, id: "second", amount: "1.0" }]);
    assert.deepEqual(
      result.problems.map((problem) => [problem.where, problem.reason]),
      [["test:1", reason]],
      JSON.stringify(value),
    );
    assert.equal(result.duplicate, 1);
    assert.equal(result.stored, 0);
    assert.equal(result.conflict + result.rejected, 1);
  }
});

const books: readonly (readonly [RegExp, string])[] = [
  [/line 1: currencie: unknown field "currencie"; did you mean currency/, "currencie: EUR"],
  [/line 1: currency: "EURO" is not a currency/, "currency: EURO"],
  [/line 1: timeZone: "Europe\/Berln" is not a time zone/, "timeZone: Europe/Berln"],
  [/line 2: meters\[0\]\.type: cannot be "levl"; did you mean level/, "meters:\n- { name: a, type: levl, unit: x }"],
  [
    /line 3: .*the meter a occurs twice/,
    "meters:\n- { name: a, type: level, unit: x }\n- { name: a, type: level, unit: x }",
  ],
  [/line 2: .*"A" is not a name/, "meters:\n- { name: A, type: level, unit: x }"],
  [
    /line 4: prices\[0\]\.meter: there is no meter "calls"; did you mean call/,
    'meters:\n- { name: call, type: event, unit: x }\nprices:\n- { meter: calls, amount: "1", per: x }',
  ],
  [
    /line 4: prices\[0\]\.per: .*needs a time; write "x-hour"/,
    'meters:\n- { name: a, type: level, unit: x }\nprices:\n- { meter: a, amount: "1", per: x }',
  ],
  [
    /line 5: prices\[1\]: .*one record could match both/,
    'meters:\n- { name: a, type: event, unit: x }\nprices:\n- { meter: a, amount: "1", per: x, when: { b: c } }\n- { meter: a, amount: "1", per: x, when: { d: e } }',
  ],
  [
    /line 4: prices\[0\]\.from: a price with tiers must begin where a month begins/,
    'meters:\n- { name: a, type: event, unit: x }\nprices:\n- { meter: a, per: x, from: 2026-03-02, tiers: volume, steps: [{ amount: "1" }] }',
  ],
  [/line 2: .*not a duration/, "retention:\n  usage: forever"],
  [/the book is refused/, "meters: [{"],
];

test("a book with any mistake is refused as a whole, with line and suggestion", () => {
  for (const [message, text] of books) assert.throws(() => parseBook(text), { code: "BadBook", message }, text);
});

test("a store of a newer version is refused and stays as it is", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "reasons-"));
  t.after(() => rm(folder, { recursive: true }));
  const line = `${JSON.stringify({ version: 99, batch: 1, at: "2026-03-01T00:00:00.000Z", files: [] })}\n`;
  await writeFile(join(folder, "manifest.ndjson"), line);
  await assert.rejects(openFolderStore(folder), { code: "Newer" });
  await assert.rejects(openFolderStore(folder, { lock: { pid: process.pid } }), { code: "Newer" });
  assert.deepEqual(await readdir(folder), ["manifest.ndjson"]);
  assert.equal(await readFile(join(folder, "manifest.ndjson"), "utf8"), line);
});

test("a broken Parquet file is an error that names the cure, never a smaller sum", async (t) => {
  const store = await opened(t);
  await put(store, [{ ...event, id: "first" }]);
  const names = await readdir(store.folder, { recursive: true });
  const file = names.find((name) => name.endsWith(".parquet")) ?? "";
  await writeFile(join(store.folder, file), "not Parquet");
  const reading = async (): Promise<void> => {
    for await (const rows of store.read("usage")) assert.fail(`${rows.length} rows of a broken file`);
  };
  await assert.rejects(reading, { code: "Corrupt", message: /capstan meter doctor/ });
  assert.equal((await store.verify()).length, 1);
});
