import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as afterInput } from "node:timers/promises";
import type { Stopwatch } from "../clock.ts";
import { TurnWatch } from "../turn/turn-watch.ts";
import type { Flow } from "./flow.ts";
import { Pacer } from "./pacer.ts";

const flow = (level: string, key: string): Flow => ({ schemaUid: "", levelUid: "", level, key, limits: undefined });

/** Every request takes 50 ms of a stopwatch that nothing else moves. */
function start(): {
  readonly run: (flow: Flow, name: string) => Promise<void>;
  readonly done: readonly string[];
} {
  let now = 0;
  const stopwatch: Stopwatch = { now: () => now, cpu: () => now, afterInput: (run) => void setImmediate(run) };
  const turns = new TurnWatch(stopwatch, () => {});
  const pacer = new Pacer(turns, stopwatch);
  const done: string[] = [];
  return {
    done,
    async run(one, name) {
      turns.mark({ method: "GET", url: `/${name}`, user: one.key });
      await pacer.pause(one);
      turns.mark({ method: "GET", url: `/${name}`, user: one.key });
      now += 50;
      done.push(name);
    },
  };
}

test("a flood of one flow does not delay a request of another level by its length", async () => {
  const { run, done } = start();
  const flood = Array.from({ length: 20 }, (_, at) => run(flow("workload-low", "mallory"), `flood ${at}`));
  await Promise.all([...flood, run(flow("leader-election", "ann"), "lease")]);
  assert.equal(done.length, 21);
  assert.ok(done.indexOf("lease") <= 6, `the lease was number ${done.indexOf("lease")}`);
});

test("flows of one level take turns", async () => {
  const { run, done } = start();
  const flood = Array.from({ length: 20 }, (_, at) => run(flow("workload-low", "mallory"), `flood ${at}`));
  await Promise.all([...flood, run(flow("workload-low", "ann"), "calm")]);
  assert.ok(done.indexOf("calm") <= 6, `the request was number ${done.indexOf("calm")}`);
});

test("a request does not wait while the turn is short", async () => {
  const stopwatch: Stopwatch = { now: () => 0, cpu: () => 0, afterInput: (run) => void setImmediate(run) };
  const pacer = new Pacer(new TurnWatch(stopwatch, () => {}), stopwatch);
  assert.equal(pacer.pause(flow("a", "b")), undefined);
  await afterInput();
});
