import assert from "node:assert/strict";
import { test } from "node:test";
import { Flusher, type Membership } from "./flusher.ts";

interface Stage {
  readonly flusher: Flusher;
  readonly flushed: string[];
  /** A body of a connection that notes its name when it is flushed. */
  body(name: string, connection: object): Membership;
  /** Runs what was to run soon, once; how much that was. */
  turn(): number;
  /** Lets all rests pass that have begun. */
  pass(): void;
  readonly rests: number[];
  /** Lets so many milliseconds pass without a turn for anybody. */
  hold(milliseconds: number): void;
}

function stage(): Stage {
  const flushed: string[] = [];
  const rests: number[] = [];
  let now = 1000;
  const soon: (() => void)[] = [];
  const later: (() => void)[] = [];
  const take = (queue: readonly (() => void)[]): number => {
    for (const run of queue) run();
    return queue.length;
  };
  const flusher = new Flusher({
    clock: {
      now: () => now,
      after(milliseconds, run) {
        rests.push(milliseconds);
        later.push(run);
        return { cancel: () => {} };
      },
    },
    soon: (run) => void soon.push(run),
  });
  return {
    flusher,
    flushed,
    rests,
    hold: (milliseconds) => void (now += milliseconds),
    body: (name, connection) => flusher.join(connection, { flush: () => void flushed.push(name) }),
    turn: () => take(soon.splice(0)),
    pass: () => void take(later.splice(0)),
  };
}

/** So many bodies, ten to a connection. */
function crowdOf(count: number, all: Stage): Membership[] {
  const connections = Array.from({ length: Math.ceil(count / 10) }, () => ({}));
  return Array.from({ length: count }, (_, at) => all.body(`body ${at}`, connections[Math.floor(at / 10)] ?? {}));
}

test("few bodies go out in the next turn, as often as they have something to send", () => {
  const all = stage();
  const one = all.body("one", {});
  for (let round = 1; round <= 3; round++) {
    one.wake();
    one.wake();
    assert.equal(all.turn(), 1);
    assert.equal(all.flushed.length, round);
  }
  assert.deepEqual(all.rests, []);
});

test("in a crowd the first event goes out at once; what comes next waits until its connection has rested", () => {
  const all = stage();
  const [first, neighbour, ...others] = crowdOf(200, all);
  first?.wake();
  all.turn();
  assert.deepEqual(all.flushed, ["body 0"]);
  first?.wake();
  neighbour?.wake();
  others.at(-1)?.wake();
  all.turn();
  assert.deepEqual(all.flushed, ["body 0", "body 199"], "another connection does not wait");
  all.pass();
  all.turn();
  assert.deepEqual(all.flushed.slice(2).sort(), ["body 0", "body 1"]);
  assert.ok(all.rests.every((rest) => rest > 0 && rest <= 20));
});

test("a crowd that is woken at once goes out in several turns, each body once, and connections come round in the same order", () => {
  const all = stage();
  const bodies = crowdOf(1000, all);
  const rounds: string[][] = [];
  for (let round = 0; round < 3; round++) {
    for (const body of bodies) body.wake();
    let turns = 0;
    while (all.turn() > 0) turns++;
    assert.ok(turns > 5, `${turns} turns leave room for others between`);
    rounds.push(all.flushed.splice(0));
    all.pass();
  }
  assert.equal(new Set(rounds[0]).size, 1000);
  assert.deepEqual(rounds[1], rounds[0]);
  assert.deepEqual(rounds[2], rounds[0]);
});

test("what a body has to send while it is flushed goes out after the rest, and a silent connection is forgotten", () => {
  const all = stage();
  crowdOf(150, all);
  let left = 2;
  const again: Membership = all.flusher.join(
    {},
    {
      flush: () => {
        all.flushed.push("again");
        if (--left > 0) again.wake();
      },
    },
  );
  again.wake();
  assert.equal(all.turn(), 1);
  assert.equal(all.turn(), 0);
  all.pass();
  assert.equal(all.turn(), 1);
  all.pass();
  assert.equal(all.turn(), 0);
  assert.deepEqual(all.flushed, ["again", "again"]);
});

test("when a crowd has gone, nobody rests", () => {
  const all = stage();
  for (const body of crowdOf(500, all)) {
    body.leave();
    body.leave();
  }
  const one = all.body("one", {});
  one.wake();
  all.turn();
  one.wake();
  all.turn();
  assert.deepEqual(all.flushed, ["one", "one"]);
  assert.deepEqual(all.rests, []);
});

/** How long a connection of a crowd rests when it is served so many milliseconds late, time after time. */
function restsOf(...late: readonly number[]): readonly number[] {
  const all = stage();
  const [body] = crowdOf(1000, all);
  for (const held of late) {
    body?.wake();
    all.hold(held);
    all.turn();
    all.pass();
  }
  return all.rests;
}

test("a connection that is served late again and again rests longer and longer, as long as it is late, within bounds", () => {
  assert.deepEqual(restsOf(80, 80, 80, 80, 80, 80, 0, 80), [25, 30, 40, 60, 100, 100, 20, 25]);
  assert.equal(restsOf(...Array.from({ length: 12 }, () => 60_000)).at(-1), 520);
});

test("after one stall the next event waits hardly longer, even if the clock on the wall goes back", () => {
  assert.deepEqual(restsOf(400, 0), [25, 20]);
  assert.deepEqual(restsOf(-60_000, 0), [20, 20]);
});
