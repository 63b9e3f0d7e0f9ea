import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { checkHistory, checkRegister } from "./checker.ts";
import type { Event, Operation, Value } from "./history.ts";

const at = (began: number, ended: number, operation: Operation, client = 0): Event => ({
  key: "k",
  client,
  operation,
  began,
  ended,
});
const write = (value: string): Operation => ({ do: "write", value });
const read = (saw: Value): Operation => ({ do: "read", saw });
const swap = (from: Value, to: string): Operation => ({ do: "swap", from, to, outcome: { is: "done" } });
const open = Number.POSITIVE_INFINITY;

describe("histories that a register can have", () => {
  const lastGood: Record<string, Event[]> = {
    "nothing at all": [],
    "one after the other": [
      at(0, 1, write("a")),
      at(2, 3, read("a")),
      at(4, 5, { do: "delete" }),
      at(6, 7, read(undefined)),
    ],
    "two reads during a write, old then new": [at(0, 9, write("a")), at(1, 2, read(undefined)), at(3, 4, read("a"))],
    "concurrent writes in either order": [at(0, 9, write("a")), at(0, 9, write("b")), at(10, 11, read("a"))],
    "a write without an answer that happened": [at(0, open, write("a")), at(5, 6, read("a"))],
    "a write without an answer that happened late": [
      at(0, open, write("a")),
      at(5, 6, read(undefined)),
      at(7, 8, read("a")),
    ],
    "a write without an answer that never happened": [at(0, open, write("a")), at(5, 6, read(undefined))],
    "a swap that was done": [at(0, 1, write("a")), at(2, 3, swap("a", "b")), at(4, 5, read("b"))],
    "a swap that was refused": [
      at(0, 1, write("a")),
      at(2, 3, { do: "swap", from: "x", to: "b", outcome: { is: "refused", saw: "a" } }),
    ],
    "a swap without an answer that happened": [
      at(0, 1, write("a")),
      at(2, open, { do: "swap", from: "a", to: "b", outcome: { is: "unknown" } }),
      at(3, 4, read("a")),
      at(5, 6, read("b")),
    ],
    "a delete without an answer": [
      at(0, 1, write("a")),
      at(2, open, { do: "delete" }),
      at(3, 4, read("a")),
      at(5, 6, read(undefined)),
    ],
    "what touches in a point overlaps": [at(0, 5, write("a")), at(5, 6, read(undefined))],
  };
  for (const [name, events] of Object.entries(lastGood)) {
    test(name, () => assert.equal(checkRegister(events), undefined));
  }
});

describe("histories that no register can have", () => {
  const bad: Record<string, Event[]> = {
    "an acknowledged write is lost": [at(0, 1, write("a")), at(2, 3, read(undefined))],
    "a read goes back in time": [at(0, 1, write("a")), at(2, 9, write("b")), at(3, 4, read("b")), at(5, 6, read("a"))],
    "a value comes from nowhere": [at(0, 1, read("ghost"))],
    "a value comes before it was written": [at(0, 1, read("a")), at(2, 3, write("a"))],
    "two swaps from the same value are both done": [
      at(0, 1, write("a")),
      at(2, 9, swap("a", "b")),
      at(2, 9, swap("a", "c")),
    ],
    "a refused swap saw what it asked for": [
      at(0, 1, write("a")),
      at(2, 3, { do: "swap", from: "a", to: "b", outcome: { is: "refused", saw: "a" } }),
    ],
    "a deleted value comes back": [at(0, 1, write("a")), at(2, 3, { do: "delete" }), at(4, 5, read("a"))],
    "a write without an answer happens twice": [
      at(0, open, write("a")),
      at(1, 2, read("a")),
      at(3, 4, write("b")),
      at(5, 6, read("b")),
      at(7, 8, read("a")),
    ],
    "a stale read by another client": [at(0, 1, write("a")), at(2, 3, write("b"), 1), at(4, 5, read("a"), 2)],
  };
  for (const [name, events] of Object.entries(bad)) {
    test(name, () => assert.match(checkRegister(events) ?? "", /no order exists/));
  }
});

test("keys are checked separately, and the bad one is named", () => {
  const fine = [at(0, 1, write("a")), at(2, 3, read("a"))];
  const torn = [at(0, 1, write("a")), at(2, 3, read(undefined))].map((event) => ({ ...event, key: "torn" }));
  assert.deepEqual(checkHistory(fine), { ok: true, operations: 2, keys: 1 });
  const majority = checkHistory([...fine, ...torn]);
  assert.equal(majority.ok ? "" : majority.key, "torn");
});

test("revisions follow real time, across keys", () => {
  const first = { ...at(0, 1, write("a")), revision: 5 };
  const second = { ...at(2, 3, write("b")), key: "other", revision: 4 };
  assert.equal(checkHistory([first, second]).ok, false);
  assert.equal(checkHistory([first, { ...second, revision: 6 }]).ok, true);
  assert.equal(checkHistory([first, { ...second, began: 0.5, revision: 4 }]).ok, true);
  assert.equal(checkHistory([first, { ...second, began: 0.5, revision: 5 }]).ok, false);
});

/** Runs random operations on a real register, each at one random moment between its call and its response. */
const runs = fc.array(
  fc.record({
    began: fc.integer({ min: 0, max: 200 }),
    wait: fc.integer({ min: 0, max: 30 }),
    left: fc.integer({ min: 0, max: 30 }),
    what: fc.constantFrom("read", "write", "swap", "delete"),
    isLost: fc.boolean(),
  }),
  { maxLength: 40 },
);

type Run = { began: number; wait: number; left: number; what: string; isLost: boolean };

function perform(made: readonly Run[]): Event[] {
  let value: Value;
  const order = made
    .map((run, index) => ({ run, index }))
    .sort((a, b) => a.run.began + a.run.wait - b.run.began - b.run.wait);
  return order.map(({ run, index }) => {
    const { began, wait, left, what, isLost } = run;
    const ended = isLost && what !== "read" ? open : began + wait + left;
    const event = (operation: Operation): Event => at(began, ended, operation, index);
    const next = `v${index}`;
    if (what === "read") return event(read(value));
    if (what === "delete") {
      value = undefined;
      return event({ do: "delete" });
    }
    if (what === "write") {
      value = next;
      return event(write(next));
    }
    const from = index % 3 === 0 ? "wrong" : value;
    const done = from === value;
    const outcome = done ? ({ is: "done" } as const) : ({ is: "refused", saw: value } as const);
    if (done) value = next;
    return event({ do: "swap", from, to: next, outcome: ended === open ? { is: "unknown" } : outcome });
  });
}

/** Tries every order: slow and obviously correct. */
function hasOrder(events: readonly Event[], value?: Value): boolean {
  const must = events.filter(({ ended }) => ended !== open);
  if (must.length === 0) return true;
  const earliest = Math.min(...must.map(({ ended }) => ended));
  return events.some((event, index) => {
    if (event.began > earliest) return false;
    const { operation } = event;
    const others = events.filter((_, other) => other !== index);
    if (operation.do === "read") return operation.saw === value && hasOrder(others, value);
    if (operation.do === "write") return hasOrder(others, operation.value);
    if (operation.do === "delete") return hasOrder(others, undefined);
    const done = operation.from === value;
    if (operation.outcome.is === "unknown") return hasOrder(others, done ? operation.to : value);
    if (operation.outcome.is === "done") return done && hasOrder(others, operation.to);
    return !done && operation.outcome.saw === value && hasOrder(others, value);
  });
}

test("the history of a real register is always accepted", () => {
  fc.assert(
    fc.property(runs, (made) => checkRegister(perform(made)) === undefined),
    { numRuns: 300 },
  );
});

test("on small histories the checker agrees with a search of all orders", () => {
  const small = fc.tuple(
    runs.map((made) => made.slice(0, 7)),
    fc.nat(),
    fc.nat(),
  );
  let refused = 0;
  fc.assert(
    fc.property(small, ([made, which, other]) => {
      const events = perform(made);
      const reads = events.flatMap(({ operation }, index) => (operation.do === "read" ? [index] : []));
      const target = reads[which % Math.max(1, reads.length)];
      const torn = events.map((event, index) =>
        index === target ? { ...event, operation: read(`v${other % 7}`) } : event,
      );
      const expected = hasOrder(torn);
      if (!expected) refused++;
      return (checkRegister(torn) === undefined) === expected;
    }),
    { numRuns: 1000 },
  );
  assert.ok(refused > 100, `only ${refused} bad histories were tried`);
});

test("a long history with many clients is checked in reasonable time", () => {
  const events: Event[] = [];
  let value: Value;
  for (let index = 0; index < 20_000; index++) {
    const began = index * 2;
    // Every operation overlaps the next few.
    const ended = began + 9;
    if (index % 3 === 0) {
      value = `v${index}`;
      events.push(at(began, ended, write(value)));
    } else events.push(at(began, ended, read(value)));
  }
  assert.equal(checkRegister(events), undefined);
});
