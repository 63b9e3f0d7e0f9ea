/** Tests of the whole package on DuckDB: records count once, invoices close and are verified, queries only read. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  closeInvoices,
  draftInvoices,
  type ImportResult,
  importUsage,
  type Invoice,
  openFolderStore,
  parseBook,
  readInvoices,
  runReport,
  runStoreQuery,
  type Store,
  verifyInvoices,
} from "../src/index.ts";

const book = parseBook(`
currency: EUR
meters: [{ name: calls, type: event, unit: call }, { name: members, type: level, unit: member }]
prices:
- { meter: members, amount: "0.25", per: member-hour }
- { meter: calls, amount: "0.001", per: call }
minimums: [{ tenant: b, amount: "1.00" }]
credits: [{ id: welcome, tenant: a, amount: "0.30", from: 2026-03-01, to: 2026-06-01 }]
`);
const now = Date.UTC(2026, 4, 2);

const records = [
  { id: "1", meter: "calls", at: "2026-03-02T00:00:00Z", amount: "1000", namespace: "a" },
  { id: "2", meter: "members", start: "2026-03-01T00:00:00Z", end: "2026-03-01T02:00:00Z", amount: 3, namespace: "b" },
  { id: "3", corrects: "2", amount: "-1" },
  { id: "1", meter: "calls", at: "2026-03-02T00:00:00Z", amount: 1000, namespace: "a" },
  { id: "1", meter: "calls", at: "2026-03-02T00:00:00Z", amount: 1001, namespace: "a" },
  { id: "4", corrects: "2", amount: "-3" },
];

async function openTemporary(t: TestContext): Promise<Store & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "metering-"));
  const store = await openFolderStore(folder, { lock: { pid: process.pid } });
  t.after(async () => {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return store;
}

async function put(store: Store, values: readonly unknown[], batch = 50_000): Promise<ImportResult> {
  async function* inputs() {
    for (const [at, value] of values.entries()) yield { where: `test:${at + 1}`, value };
  }
  return importUsage(inputs(), { store, book, now, source: "usage", batch });
}

async function totalOf(store: Store): Promise<string | undefined> {
  const window = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 3, 1) };
  const request = {
    window,
    bucket: "day",
    by: ["tenant"],
    meters: [],
    where: new Map(),
    idle: "show",
    shared: "show",
  } as const;
  return (await runReport(store, book, { ...request, withCost: true })).json.total.cost;
}

test("records count once, in one batch or many, and corrections balance", async (t) => {
  const [whole, single] = [await openTemporary(t), await openTemporary(t)];
  for (const [store, batch] of [[whole, 50_000] as const, [single, 1] as const]) {
    const { stored, duplicate, conflict, rejected, problems } = await put(store, records, batch);
    assert.deepEqual({ stored, duplicate, conflict, rejected }, { stored: 3, duplicate: 1, conflict: 1, rejected: 1 });
    assert.deepEqual(
      problems.map(({ reason }) => reason),
      ["Conflict", "OverCorrected"],
    );
    const again = await put(store, records, batch);
    assert.deepEqual([again.stored, again.duplicate], [0, 4]);
    assert.equal(await totalOf(store), "2.000000");
  }
});

test("a second writer is refused by the lock of a live process", async (t) => {
  const store = await openTemporary(t);
  await assert.rejects(openFolderStore(store.folder, { lock: { pid: process.pid } }), { code: "Locked" });
});

test("a closed invoice stays; late records become a correction on the next", async (t) => {
  const store = await openTemporary(t);
  await put(store, records);
  await assert.rejects(closeInvoices(store, book, { period: "2026-03", now, force: false }), { code: "NotReady" });
  const keys = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const closing = { period: "2026-03", now, force: true, signingKey: keys.privateKey };
  const { invoices: closed } = await closeInvoices(store, book, closing);
  assert.deepEqual(
    closed.map(({ id, total }) => `${id} ${total}`),
    ["2026-03/a 0.70", "2026-03/b 1.00"],
  );
  assert.deepEqual(await closeInvoices(store, book, closing), { invoices: closed, fresh: [], laggards: [] });
  await put(store, [{ ...records[0], id: "late", amount: "500" }]);
  const [next] = await draftInvoices(store, book, { period: "2026-04", now });
  assert.deepEqual(
    next?.lines.map(({ kind, amount }) => `${kind} ${amount}`),
    ["correction 0.50"],
  );
  assert.equal(next?.previous, closed[0]?.hash);
  const stored = await readInvoices(store);
  assert.ok(verifyInvoices(stored, { publicKey: keys.publicKey, isWhole: true }).every(({ ok }) => ok));
  const forged = stored.map((invoice): Invoice => ({ ...invoice, total: "0.01" }));
  assert.ok(verifyInvoices(forged).every(({ ok }) => !ok));
});

test("a query reads; files, changes and too many rows are refused", async (t) => {
  const store = await openTemporary(t);
  await put(store, records);
  const ask = (sql: string, maxRows = 10) => runStoreQuery(store, book, { sql, limits: { maxRows } });
  const { rows } = await ask("SELECT meter, sum(quantity) FROM usage GROUP BY 1 ORDER BY 1");
  assert.deepEqual(rows, [
    ["calls", "1000.000000000"],
    ["members", "14400.000000000"],
  ]);
  for (const sql of [
    "SELECT * FROM read_csv('/etc/hosts')",
    "COPY usage TO '/tmp/x.csv'",
    "DROP TABLE usage",
    "SELECT 1; SELECT 2",
    "SET threads = 1",
  ])
    await assert.rejects(ask(sql), { code: "BadSql" }, sql);
  await assert.rejects(ask("SELECT * FROM range(100)"), { code: "Limit" });
});
