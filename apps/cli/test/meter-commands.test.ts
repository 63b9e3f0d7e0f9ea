/** Tests of the metering commands from end to end: export and import, formats, removal, audit and doctor. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { capstan } from "./terminal.ts";

const book = `
currency: EUR
retention: { usage: 30d }
meters:
- { name: calls, type: event, unit: call }
- { name: members, type: level, unit: member }
prices:
- { meter: members, amount: "0.25", per: member-hour }
- { meter: calls, amount: "0.001", per: call }
`;
const records = [
  {
    id: "1",
    meter: "calls",
    at: "2026-03-02T00:00:00Z",
    amount: "1000.5",
    namespace: "a",
    dimensions: { path: '=x,"' },
  },
  { id: "2", meter: "members", start: "2026-03-01T22:00:00Z", end: "2026-03-02T02:00:00Z", amount: 3, namespace: "b" },
  { id: "3", corrects: "2", amount: "-1" },
];

interface Place {
  readonly folder: string;
  readonly run: (...words: string[]) => Promise<string>;
  readonly code: (...words: string[]) => Promise<number>;
}

async function place(t: TestContext): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "meter-commands-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "metering.yaml"), book);
  await writeFile(join(folder, "a.ndjson"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const meter = (words: string[]) => capstan(["meter", ...words, "--now", "2026-06-01T00:00:00Z"], { cwd: folder });
  return {
    folder,
    run: async (...words) => {
      const ran = await meter(words);
      assert.equal(ran.code, 0, `${words.join(" ")}: ${ran.err}`);
      return ran.out;
    },
    code: async (...words) => (await meter(words)).code,
  };
}

test("exported usage keeps its identities in another store, in all formats", async (t) => {
  const { run } = await place(t);
  await run("import", "usage", "a.ndjson", "--source", "billing");
  const report = ["report", "--period", "2026-03", "--by", "namespace,path", "-o", "csv"];
  const wanted = await run(...report);
  for (const format of ["ndjson", "csv", "parquet"]) {
    await run("export", "--what", "usage", "--format", format, "--out", `usage.${format}`);
    await run("import", "usage", `usage.${format}`, "--store", `store-${format}`);
    assert.equal(await run(...report, "--store", `store-${format}`), wanted, format);
    const again = JSON.parse(await run("import", "usage", `usage.${format}`, "-o", "json")) as { duplicate: number };
    assert.equal(again.duplicate, 3, format);
  }
});

test("reports and queries write Parquet with exact types", async (t) => {
  const { run, code, folder } = await place(t);
  await run("import", "usage", "a.ndjson");
  assert.equal(await code("report", "--period", "2026-03", "-o", "parquet"), 2);
  await run("report", "--period", "2026-03", "--bucket", "day", "-o", "parquet", "--out", "report.parquet");
  await run("query", "SELECT sum(quantity) AS q FROM usage -- all", "-o", "parquet", "--out", "query.parquet");
  const files = await readdir(folder);
  assert.ok(files.includes("report.parquet") && files.includes("query.parquet"));
  const bytes = await readFile(join(folder, "report.parquet"));
  assert.equal(bytes.subarray(0, 4).toString(), "PAR1");
});

test("FOCUS has the mandatory columns in order, and no row without a cost", async (t) => {
  const { run } = await place(t);
  await run("import", "usage", "a.ndjson");
  const report = ["report", "--period", "2026-03", "--by", "tenant", "-o", "focus"];
  const [header = "", ...rows] = (await run(...report)).trimEnd().split("\n");
  const columns = header.split(",");
  assert.deepEqual(columns, columns.toSorted());
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? "", /^1\.000500,capstan,capstan,EUR,2026-04-01T00:00:00Z,2026-03-01T00:00:00Z,Usage,,/);
  const [newer = ""] = (await run(...report, "--focus-version", "1.3")).split("\n");
  assert.ok(
    newer.includes("AllocatedMethodId") && newer.includes("ServiceProviderName") && !header.includes("Allocated"),
  );
});

test("removed usage is gone, invoices and audit stay, and nothing is refunded", async (t) => {
  const { run, code } = await place(t);
  await run("import", "usage", "a.ndjson");
  await run("invoice", "--period", "2026-03", "--close", "--force");
  assert.equal(await code("forget", "--tenant", "a"), 2);
  const gone = JSON.parse(await run("forget", "--tenant", "a", "--yes")) as { removed: number };
  assert.equal(gone.removed, 1);
  assert.ok(!(await run("report", "--period", "2026-03", "--by", "tenant", "-o", "csv")).includes("calls"));
  assert.deepEqual(JSON.parse(await run("invoice", "--period", "2026-04", "-o", "json")), []);
  const actions = (JSON.parse(await run("audit", "-o", "json")) as { action: string }[]).map(({ action }) => action);
  assert.deepEqual(actions, ["book", "import", "correction", "close", "close", "forget"]);
  assert.equal(await code("doctor"), 0);
});

test("retention keeps the sums by day, and refuses records that it counted", async (t) => {
  const { run, code } = await place(t);
  await run("import", "usage", "a.ndjson");
  const report = ["report", "--period", "2026-03", "--by", "tenant", "--bucket", "day", "-o", "csv"];
  const wanted = await run(...report);
  const nothing = JSON.parse(await run("forget", "--retention", "--yes")) as { removed: number };
  assert.equal(nothing.removed, 0, "an open period keeps its records");
  await run("invoice", "--period", "2026-03", "--close", "--force");
  const gone = JSON.parse(await run("forget", "--retention", "--yes")) as { removed: number };
  assert.equal(gone.removed, 3);
  assert.equal(await run(...report), wanted);
  assert.equal(await code("import", "usage", "a.ndjson"), 1);
  assert.equal(await run(...report), wanted);
});

test("the doctor finds a changed file and a changed audit", async (t) => {
  const { run, code, folder } = await place(t);
  await run("import", "usage", "a.ndjson");
  assert.equal(await code("doctor"), 0);
  const audit = join(folder, ".capstan/meter/audit.ndjson");
  const text = await readFile(audit, "utf8");
  await writeFile(audit, text.replace('"stored":3', '"stored":2'));
  assert.equal(await code("doctor"), 1);
  await writeFile(audit, text);
  const [day = ""] = await readdir(join(folder, ".capstan/meter/usage"));
  const [file = ""] = await readdir(join(folder, ".capstan/meter/usage", day));
  await rm(join(folder, ".capstan/meter/usage", day, file));
  assert.equal(await code("doctor"), 1);
});

test("a line of NDJSON ends with LF only, and a dimension of other times is known", async (t) => {
  const { run, code, folder } = await place(t);
  const record = {
    id: "s",
    meter: "calls",
    at: "2026-03-05T00:00:00Z",
    amount: 1,
    dimensions: { "a\u2028b": "x\u2029y" },
  };
  await writeFile(join(folder, "s.ndjson"), `\uFEFF${JSON.stringify(record)}\r\n\n`);
  const result = JSON.parse(await run("import", "usage", "s.ndjson", "-o", "json")) as { read: number; stored: number };
  assert.deepEqual([result.read, result.stored], [1, 1]);
  assert.match(await run("report", "--period", "2026-03", "--by", "a\u2028b", "-o", "csv"), /,x\u2029y,1,call,/);
  assert.match(await run("report", "--period", "2026-04", "--by", "a\u2028b", "-o", "csv"), /^bucket,/);
  assert.equal(await code("report", "--period", "2026-04", "--by", "c"), 3);
  await writeFile(join(folder, "broken.ndjson.gz"), "not packed");
  assert.equal(await code("import", "usage", "broken.ndjson.gz"), 3);
  assert.equal(await code("import", "usage", "s.ndjson", "missing.ndjson"), 3);
});

test("every command takes the store, the book, and the file of the result", async (t) => {
  const { run, folder } = await place(t);
  await writeFile(
    join(folder, "rows.json"),
    '[{"amount":1,"timestamp":"2026-03-01T00:00:00Z","stepSize":60000000000}]',
  );
  const common = ["--store", "other", "--book", "metering.yaml", "-o", "json"];
  assert.equal(await run("import", "rows", "--datasource", "cpu", "rows.json", ...common, "--out", "rows.out"), "");
  assert.match(await readFile(join(folder, "rows.out"), "utf8"), /"stored": 1/);
  await run("import", "usage", "a.ndjson", ...common);
  const exported = await run("export", "--what", "usage", ...common, "--out", "usage.ndjson");
  assert.equal((JSON.parse(exported) as { rows: number }).rows, 3);
  const audit = JSON.parse(await run("audit", ...common)) as { action: string }[];
  assert.equal(audit.filter(({ action }) => action === "import").length, 2);
});

test("prices are printed as the book has them", async (t) => {
  const { run, folder } = await place(t);
  const steps = '[{ upTo: "10", amount: "0" }, { amount: "1.20", flat: "5.00" }]';
  const tiered = `meters: [{ name: calls, type: event, unit: call }]\nprices: [{ meter: calls, per: call, tiers: graduated, steps: ${steps} }]`;
  await writeFile(join(folder, "tiers.yaml"), tiered);
  const price = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await run("price", "calls", "--book", "tiers.yaml", "-o", "json", ...words));
  const wanted = [
    { upTo: "10", amount: "0" },
    { amount: "1.20", flat: "5.00" },
  ];
  assert.deepEqual(await price(), [{ meter: "calls", per: "call", tiers: "graduated", when: {}, steps: wanted }]);
  const { lines, cost } = (await price("--quantity", "12.5")) as { lines: unknown[]; cost: string };
  assert.equal(cost, "8.000000");
  assert.deepEqual(lines.at(-1), { step: 2, quantity: "0", amount: "5.00", cost: "5.000000", flat: true });
});
