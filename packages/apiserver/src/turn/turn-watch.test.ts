import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stopwatch } from "../clock.ts";
import { describeLongTurn, TurnWatch, type LongTurn, type TurnWork } from "./turn-watch.ts";

interface HandDriven {
  readonly stopwatch: Stopwatch;
  readonly pass: (milliseconds: number) => void;
  readonly endTurn: () => void;
}

function handDriven(): HandDriven {
  let now = 0;
  let ends: (() => void)[] = [];
  return {
    stopwatch: { now: () => now, cpu: () => now / 2, afterInput: (run) => void ends.push(run), afterWork: () => {} },
    pass(milliseconds) {
      now += milliseconds;
    },
    endTurn() {
      const due = ends;
      ends = [];
      for (const run of due) run();
    },
  };
}

const work = (url: string): TurnWork => ({ method: "GET", url, user: "ann" });

test("a turn over 250 ms is reported with the request that used most of it", () => {
  const { stopwatch, pass, endTurn } = handDriven();
  const reports: LongTurn[] = [];
  const turns = new TurnWatch(stopwatch, (turn) => void reports.push(turn));
  const [a, b] = [work("/a"), work("/b")];
  turns.mark(a);
  pass(100);
  turns.mark(b);
  pass(120);
  turns.mark(a);
  pass(40);
  endTurn();
  assert.deepEqual(reports, [{ milliseconds: 260, cpuMilliseconds: 130, work: a, workMilliseconds: 140 }]);
  assert.deepEqual([turns.count, turns.longest], [1, 260]);
});

test("several short turns are not reported, whatever their sum", () => {
  const { stopwatch, pass, endTurn } = handDriven();
  const turns = new TurnWatch(stopwatch, () => assert.fail("no turn was long"));
  for (let at = 0; at < 4; at++) {
    turns.mark(work("/a"));
    pass(200);
    assert.equal(turns.spent, 200);
    endTurn();
  }
  assert.deepEqual([turns.count, turns.longest, turns.spent], [0, 200, 0]);
});

test("the description of a long turn names method, path and user, and cuts long paths", () => {
  const report = {
    milliseconds: 1234.4,
    cpuMilliseconds: 1200,
    work: work(`/${"x".repeat(300)}`),
    workMilliseconds: 9,
  };
  assert.match(
    describeLongTurn(report),
    /busy for 1234 ms \(1200 ms of .*, 9 ms of it with GET \/x{199}\.\.\. of ann;/,
  );
});

test("a turn with little processor time waited for the machine", () => {
  const work: TurnWork = { method: "GET", url: "/api", user: "" };
  const line = describeLongTurn({ milliseconds: 300, cpuMilliseconds: 24, work, workMilliseconds: 290 });
  assert.match(
    line,
    /^the server waited for the machine for 300 ms \(24 ms of processor time\), 290 ms of it with GET/,
  );
});
