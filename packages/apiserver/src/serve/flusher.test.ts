import assert from "node:assert/strict";
import { test } from "node:test";
import { Flusher, type Membership } from "./flusher.ts";

interface Stage {
  readonly flusher: Flusher;
  readonly flushed: string[];
  /** A body on a connection that records its name when it is flushed. */
  body(name: string, connection: object): Membership;
  /** Runs the callbacks passed to `soon`, once; returns their number. */
  turn(): number;
  /** Ends all pauses that have begun. */
  pass(): void;
  readonly rests: number[];
  /** Lets this many milliseconds pass without running any callback. */
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
      wall: () => now,
      later(milliseconds, run) {
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

/** Creates this many bodies, ten per connection. */
function crowdOf(count: number, all: Stage): Membership[] {
  const connections = Array.from({ length: Math.ceil(count / 10) }, () => ({}));
  return Array.from({ length: count }, (_, at) => all.body(`body ${at}`, connections[Math.floor(at / 10)] ?? {}));
}

test("a few bodies are flushed in the next cycle, as often as they have data", () => {
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

test("among many bodies the first event is sent at once, the next after a pause", () => {
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

test("many bodies are flushed over several cycles, once each and in the same order", () => {
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

test("data added during a flush is sent after the pause, and an idle connection waits", () => {
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

test("connections do not pause after most bodies have ended", () => {
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

/** The pauses of a connection among many, if its flushes are delayed by these milliseconds. */
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

test("repeated delays lengthen the pause of a connection up to a bound", () => {
  assert.deepEqual(restsOf(80, 80, 80, 80, 80, 80, 0, 80), [25, 30, 40, 60, 100, 100, 20, 25]);
  assert.equal(restsOf(...Array.from({ length: 12 }, () => 60_000)).at(-1), 520);
});

test("a single stall hardly lengthens the next pause, even if the clock goes back", () => {
  assert.deepEqual(restsOf(400, 0), [25, 20]);
  assert.deepEqual(restsOf(-60_000, 0), [20, 20]);
});
