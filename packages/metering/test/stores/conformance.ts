/** What every store does alike: the same tests run on each engine. */
import assert from "node:assert/strict";
import test from "node:test";
import { appendAudit, auditProblems, readAudit } from "../../src/index.ts";
import type { Store } from "../../src/store/store.ts";
import type { Row } from "../../src/store/tables.ts";

/** A place where stores can be opened; each `fresh` is another store. */
export interface Place {
  fresh(): Opener;
}

/** Opens the same store again and again. */
export interface Opener {
  writer(wait?: () => Promise<void>): Promise<Store>;
  reader(): Promise<Store>;
}

const at = Date.UTC(2026, 2, 1);
const day = 86_400_000;

function usage(id: string, start: number, more: Partial<{ end: number; amount: bigint; corrects: string }> = {}): Row {
  const { end = start + 1, amount = 1_000_000n, corrects = "" } = more;
  return ["calls", start, end, amount, "t", "n", "", "{}", "usage", id, corrects, 0, 1, at];
}

async function all(store: Store, filter = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of store.read("usage", filter)) rows.push(...batch);
  return rows.sort((a, b) => (String(a[9]) < String(b[9]) ? -1 : 1));
}

const ids = (rows: readonly Row[]): string[] => rows.map((row) => String(row[9]));

/** Registers the tests. */
export function storeConformance(name: string, place: () => Place): void {
  test(`${name}: texts and amounts come back as they were`, async () => {
    const opener = place().fresh();
    const texts = ["", "'\";--", "\u0000a\u0001\u0001b\u00010", "𝒳 ünï\u2028", "\\x00", "NULL"];
    const amounts = [0n, 1n, -1n, 999_999n, -1_000_001n, 10n ** 30n - 1n, 1n - 10n ** 30n];
    const rows = texts.flatMap((text, row) =>
      amounts.map((amount, column): Row => [...usage(`${row}-${column}-${text}`, at, { amount })].with(4, text) as Row),
    );
    {
      await using store = await opener.writer();
      await store.commit({ at, rows: [{ table: "usage", rows }] });
    }
    await using store = await opener.reader();
    const found = await all(store);
    assert.deepEqual(
      found,
      rows.toSorted((a, b) => (String(a[9]) < String(b[9]) ? -1 : 1)),
    );
    const identities = rows.map((row) => ({ source: "usage", id: String(row[9]) }));
    assert.equal((await store.findUsage(identities)).length, rows.length);
    assert.deepEqual(await store.findUsage([{ source: "usag", id: String(rows[0]?.[9]) }]), []);
  });

  test(`${name}: rows and state become visible together, and instants only rise`, async () => {
    const opener = place().fresh();
    await using reader = await opener.reader();
    assert.deepEqual([reader.state.batch, reader.firstOf("usage"), await all(reader)], [0, undefined, []]);
    {
      await using store = await opener.writer();
      const first = { watermarks: { calls: at }, journals: { j: 3 }, bills: { u: "h" }, forgotten: { t: at } };
      await store.commit({ at, rows: [{ table: "usage", rows: [usage("a", at)] }], ...first });
      await store.commit({ at, rows: [], watermarks: { calls: at - 1, more: 1 }, journals: { j: 5 } });
      assert.equal(store.state.batch, 2);
    }
    await using again = await opener.reader();
    const { batch, watermarks, journals, bills, forgotten } = again.state;
    assert.deepEqual(
      { batch, watermarks: [...watermarks], journals: [...journals], bills: [...bills], forgotten: [...forgotten] },
      {
        batch: 2,
        watermarks: [
          ["calls", at],
          ["more", 1],
        ],
        journals: [["j", 5]],
        bills: [["u", { hash: "h", batch: 1 }]],
        forgotten: [["t", at]],
      },
    );
    assert.equal(again.firstOf("usage"), at);
    assert.deepEqual(await again.verify(), []);
  });

  test(`${name}: a commit that fails leaves nothing`, async () => {
    const opener = place().fresh();
    await using store = await opener.writer();
    await store.commit({ at, rows: [{ table: "usage", rows: [usage("a", at)] }] });
    const bad = usage("b", at, { amount: 10n ** 40n });
    await assert.rejects(
      store.commit({ at, rows: [{ table: "usage", rows: [usage("c", at), bad] }], watermarks: { x: 1 } }),
    );
    assert.deepEqual([store.state.batch, store.state.watermarks.size, ids(await all(store))], [1, 0, ["a"]]);
    await store.commit({ at, rows: [{ table: "usage", rows: [usage("d", at)] }] });
    assert.deepEqual(ids(await all(store)), ["a", "d"]);
  });

  test(`${name}: windows, identities, corrections and removal select exactly`, async () => {
    const opener = place().fresh();
    await using store = await opener.writer();
    const rows = Array.from({ length: 12_000 }, (_, n) => usage(`r${n}`, at + n * 60_000));
    rows.push(usage("long", at - day, { end: at + 20 * day }), usage("fix", at, { amount: -5n, corrects: "r7" }));
    await store.commit({ at, rows: [{ table: "usage", rows }] });
    assert.equal((await all(store)).length, rows.length);
    const window = { from: at + 60_000, to: at + 180_000 };
    const inside = ids(await all(store, window)).filter((id) => id !== "r0");
    assert.deepEqual(inside, ["long", "r1", "r2"]);
    const many = rows.map((row) => ({ source: "usage", id: String(row[9]) }));
    assert.equal((await store.findUsage([...many, ...many])).length, rows.length);
    const corrected = await store.findCorrections([
      { source: "usage", id: "r7" },
      { source: "usage", id: "" },
    ]);
    assert.deepEqual(ids(corrected), ["fix"]);
    const isRemoved = (row: Row): boolean => String(row[9]).endsWith("00");
    const removed = await store.commit({ at, rows: [], remove: [{ table: "usage", isRemoved }] });
    assert.equal(removed, 119);
    assert.equal((await all(store)).length, rows.length - removed);
  });

  test(`${name}: one writes at a time, others read`, async () => {
    const opener = place().fresh();
    const first = await opener.writer();
    await first.commit({ at, rows: [{ table: "usage", rows: [usage("a", at)] }] });
    await assert.rejects(opener.writer(), { code: "Locked", message: /pid \d+/ });
    {
      await using reader = await opener.reader();
      assert.deepEqual(ids(await all(reader)), ["a"]);
    }
    let waits = 0;
    const waiting = opener.writer(async () => {
      waits += 1;
      if (waits === 2) await first[Symbol.asyncDispose]();
    });
    await using second = await waiting;
    assert.equal(second.state.batch, 1);
  });

  test(`${name}: invoices, periods, the audit and the key stay`, async () => {
    const opener = place().fresh();
    await using store = await opener.writer();
    const { archive } = store;
    assert.deepEqual([await archive.invoices(), await archive.auditLines()], [[], []]);
    await archive.addInvoice("2026-03/ünï\u0000", '{"id":"\u0001"}\n');
    await archive.addClosedPeriod("2026-03");
    await archive.addClosedPeriod("2026-03");
    const key = await archive.hashKey(() => Buffer.from("first"));
    const event = { at: new Date(at).toISOString(), action: "import", user: "u", details: { n: 1 } } as const;
    await Promise.all(Array.from({ length: 10 }, () => appendAudit(store, [event, event])));
    await using again = await opener.reader();
    assert.deepEqual(
      (await again.archive.invoices()).map(({ text }) => text),
      ['{"id":"\u0001"}\n'],
    );
    assert.deepEqual(await again.archive.closedPeriods(), new Set(["2026-03"]));
    assert.deepEqual(await again.archive.hashKey(() => Buffer.from("second")), key);
    const entries = await readAudit(again);
    assert.deepEqual([entries.length, auditProblems(entries)], [20, []]);
  });
}
