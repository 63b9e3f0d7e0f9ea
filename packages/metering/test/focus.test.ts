/** Tests of cloud bills: replacement, currencies, and cost that is nowhere lost. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { billOfCsv, importFocus, openFolderStore, parseBook, runReport } from "../src/index.ts";

const book = parseBook("currency: EUR\nexchange: [{ from: USD, to: EUR, rate: '0.5', since: 2026-01-01 }]");

function bill(...costs: readonly [string, string][]): string {
  const header =
    "ProviderName,BillingAccountId,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,EffectiveCost,BillingCurrency,ResourceId,Tags";
  const rows = costs.map(
    ([cost, tags]) =>
      `cloud,1,2026-03-01T00:00:00Z,2026-03-01T00:00:00Z,2026-03-03T00:00:00Z,${cost},USD,NULL,"${tags.replaceAll('"', '""')}"`,
  );
  return `${[header, ...rows].join("\n")}\n`;
}

test("a newer bill replaces the former one, and is laid over its days", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "metering-"));
  t.after(() => rm(folder, { recursive: true }));
  await using store = await openFolderStore(folder, { lock: { pid: process.pid } });
  const put = (text: string) => importFocus([billOfCsv("a.csv", text)], { store, book, now: 0 });
  const first = bill(["9.00", '{"namespace":"a"}'], ["9.00", '{"namespace":"a"}']);
  assert.equal((await put(first)).stored, 2);
  assert.equal((await put(first)).duplicate, 2);
  assert.equal((await put(bill(["3.00", '{"namespace":"a"}'], ["-1.000001", ""], ["x", ""]))).rejected, 1);
  const window = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 3) };
  const request = {
    window,
    bucket: "day",
    by: ["namespace"],
    meters: [],
    where: new Map(),
    idle: "show",
    shared: "show",
  } as const;
  const { rows, total } = (await runReport(store, book, { ...request, withCost: true })).json;
  assert.deepEqual(
    rows.map(({ bucket, charge, dimensions, cost }) => [bucket, charge, dimensions["namespace"], cost]),
    [
      ["2026-03-01", "external", "__shared__", "-0.250000"],
      ["2026-03-01", "external", "a", "0.750000"],
      ["2026-03-02", "external", "__shared__", "-0.250000"],
      ["2026-03-02", "external", "a", "0.750000"],
    ],
  );
  assert.equal(total.cost, "1.000000");
});
