import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkLists } from "./check-lists.ts";
import type { ListOperation, Transaction } from "./history.ts";

const append = (key: string, value: number): ListOperation => ({ do: "append", key, value });
const read = (key: string, ...values: number[]): ListOperation => ({ do: "read", key, values });

/** Transactions of one moment: no one is before another in real time. */
function together(...all: readonly (readonly ListOperation[])[]): readonly Transaction[] {
  return all.map((operations) => ({ began: 0, ended: 10, outcome: "committed", operations }));
}

/** Transactions one after the other. */
function inTurn(...all: readonly (readonly ListOperation[])[]): readonly Transaction[] {
  return all.map((operations, at) => ({ began: at * 10, ended: at * 10 + 5, outcome: "committed", operations }));
}

function typesOf(history: readonly Transaction[]): readonly string[] {
  return checkLists(history).map(({ type }) => type);
}

test("a serial history has no anomaly", () => {
  const history = inTurn(
    [append("x", 1)],
    [read("x", 1), append("x", 2)],
    [read("x", 1, 2), append("y", 1)],
    [read("y", 1)],
  );
  assert.deepEqual(checkLists(history), []);
});

test("G0: two transactions write two keys in different orders", () => {
  const writes = [
    [append("x", 1), append("y", 1)],
    [append("x", 2), append("y", 2)],
  ];
  assert.deepEqual(typesOf(together(...writes, [read("x", 1, 2), read("y", 2, 1)])), ["G0"]);
});

test("G1a: a read of an aborted append", () => {
  const aborted: Transaction = { began: 0, ended: 1, outcome: "aborted", operations: [append("x", 1)] };
  assert.deepEqual(typesOf([aborted, ...together([read("x", 1)])]), ["G1a"]);
});

test("G1b: a read from the middle of a transaction", () => {
  assert.ok(typesOf(together([append("x", 1), append("x", 2)], [read("x", 1)], [read("x", 1, 2)])).includes("G1b"));
});

test("G1c: two transactions read what the other wrote", () => {
  assert.deepEqual(typesOf(together([append("x", 1), read("y", 1)], [append("y", 1), read("x", 1)])), ["G1c"]);
});

test("G-single: a transaction sees one part of another and not the other part", () => {
  const history = together([append("x", 1), append("y", 1)], [read("x", 1), read("y")], [read("y", 1)]);
  assert.deepEqual(typesOf(history), ["G-single"]);
});

test("G2: two transactions each miss what the other wrote", () => {
  const skewed = [
    [read("x"), append("y", 1)],
    [read("y"), append("x", 1)],
  ];
  assert.deepEqual(typesOf(together(...skewed, [read("x", 1), read("y", 1)])), ["G2"]);
});

test("a lost update is a cycle", () => {
  const both = [
    [read("x"), append("x", 1)],
    [read("x"), append("x", 2)],
  ];
  assert.deepEqual(typesOf(together(...both, [read("x", 1, 2)])), ["G-single"]);
});

test("an acknowledged append that a later read does not have is found by real time", () => {
  assert.deepEqual(typesOf(inTurn([append("x", 1)], [read("x")])), ["G-single-realtime"]);
  assert.deepEqual(typesOf(inTurn([append("x", 1)], [append("x", 2)], [read("x", 1)])), ["G-single-realtime"]);
  assert.deepEqual(typesOf(together([append("x", 1)], [read("x")])), [], "concurrent");
});

test("a write order against real time is found", () => {
  assert.deepEqual(typesOf(inTurn([append("x", 1)], [append("x", 2)], [read("x", 2, 1)])), ["G0-realtime"]);
});

test("a transaction without response happened or not, and happened if a read shows it", () => {
  const unknown: Transaction = { began: 0, outcome: "unknown", operations: [append("x", 1)] };
  assert.deepEqual(typesOf([unknown, ...inTurn([read("x")], [read("x", 1)])]), []);
  assert.deepEqual(typesOf([unknown, ...inTurn([read("x")])]), []);
  assert.deepEqual(typesOf([unknown, ...inTurn([read("x", 1)], [read("x")])]), ["G-single-realtime"]);
});

test("values that contradict each other are found without a cycle", () => {
  assert.deepEqual(typesOf(together([append("x", 1)], [append("x", 2)], [read("x", 1, 2)], [read("x", 2)])), [
    "incompatible-order",
  ]);
  assert.deepEqual(typesOf(together([append("x", 1)], [read("x", 1, 1)])), ["duplicate-append"]);
  assert.deepEqual(typesOf(together([read("x", 9)])), ["unknown-value"]);
  assert.deepEqual(typesOf(together([append("x", 1), read("x")])), ["internal"]);
});

/** What a serial database does: each transaction sees all before it. */
function serial(plans: readonly (readonly { readonly isRead: boolean; readonly key: string }[])[]): Transaction[] {
  const lists = new Map<string, number[]>();
  let next = 0;
  return plans.map((plan, at) => ({
    began: at * 10 - 15,
    ended: at * 10 + 5,
    outcome: "committed",
    operations: plan.map(({ isRead, key }): ListOperation => {
      const list = lists.get(key) ?? [];
      if (isRead) return { do: "read", key, values: [...list] };
      lists.set(key, [...list, ++next]);
      return { do: "append", key, value: next };
    }),
  }));
}

const plans = fc.array(
  fc.array(fc.record({ isRead: fc.boolean(), key: fc.constantFrom("x", "y", "z") }), { minLength: 1, maxLength: 4 }),
  { minLength: 2, maxLength: 30 },
);

test("histories of a serial database have no anomaly, in any order of reports", () => {
  fc.assert(
    fc.property(plans, fc.infiniteStream(fc.nat()), (all, seeds) => {
      const keyed = serial(all).map((transaction) => ({ transaction, at: seeds.next().value ?? 0 }));
      const shuffled = keyed.toSorted((a, b) => a.at - b.at).map(({ transaction }) => transaction);
      assert.deepEqual(checkLists(shuffled), []);
    }),
  );
});

test("an acknowledged append that is dropped from all reads is always found", () => {
  fc.assert(
    fc.property(plans, fc.nat(), (all, pick) => {
      const reads = ["x", "y", "z"].map((key) => ({ isRead: true, key }));
      const history = serial([...all, [], [], reads]);
      const values = history.flatMap(({ operations }) =>
        operations.flatMap((one) => (one.do === "append" ? [one.value] : [])),
      );
      fc.pre(values.length > 0);
      const lost = values[pick % values.length];
      const without = history.map((transaction) => ({
        ...transaction,
        operations: transaction.operations.map((one) =>
          one.do === "read" ? { ...one, values: one.values?.filter((value) => value !== lost) } : one,
        ),
      }));
      assert.notDeepEqual(checkLists(without), []);
    }),
  );
});
