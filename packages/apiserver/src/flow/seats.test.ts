import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../clock.ts";
import type { Flow, FlowLimits } from "./flow.ts";
import { Seats, TooManyRequestsError, type Release } from "./seats.ts";

const limits: FlowLimits = { seats: 2, seatsPerFlow: 1, queueLength: 2 };
const flowOf = (key: string, level = "low"): Flow => {
  return { schemaUid: "", levelUid: "", level, key, weight: 1, work: "get", limits };
};
const never = (): AbortSignal => new AbortController().signal;

function handDriven(): { readonly clock: Clock; readonly fire: () => void } {
  const due = new Set<() => void>();
  return {
    clock: {
      now: () => 0,
      wall: () => 0,
      later(_, run) {
        due.add(run);
        return { cancel: () => void due.delete(run) };
      },
    },
    fire() {
      for (const run of due) run();
    },
  };
}

const codeOf = (code: string) => (error: unknown) => error instanceof TooManyRequestsError && error.code === code;

test("a flow that fills its seats waits, others of its level do not", async () => {
  const seats = new Seats(handDriven().clock);
  const first = await seats.take(flowOf("a"), never);
  const waiting = seats.take(flowOf("a"), never);
  assert.ok(waiting instanceof Promise);
  assert.ok(!(seats.take(flowOf("b"), never) instanceof Promise));
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 2, waiting: 1 }]);
  first();
  (await waiting)();
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 1, waiting: 0 }]);
});

test("a full level does not delay another level or an exempt flow", async () => {
  const seats = new Seats(handDriven().clock);
  await seats.take(flowOf("a"), never);
  await seats.take(flowOf("b"), never);
  assert.ok(seats.take(flowOf("b"), never) instanceof Promise);
  assert.ok(!(seats.take(flowOf("b", "high"), never) instanceof Promise));
  assert.ok(!(seats.take({ ...flowOf("b"), limits: undefined }, never) instanceof Promise));
});

test("a flow gets its first seat in a full level, up to four times its seats", async () => {
  const seats = new Seats(handDriven().clock);
  const flows = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const releases = await Promise.all(flows.map(async (key) => seats.take(flowOf(key), never)));
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 8, waiting: 0 }]);
  const waiting = seats.take(flowOf("i"), never);
  assert.ok(waiting instanceof Promise);
  const again = seats.take(flowOf("b"), never);
  for (const release of releases.slice(0, 1)) release();
  (await waiting)();
  for (const release of releases.slice(1)) release();
  (await again)();
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 0, waiting: 0 }]);
});

test("a full queue rejects at once, and a long wait is rejected later", async () => {
  const { clock, fire } = handDriven();
  const seats = new Seats(clock);
  await seats.take(flowOf("a"), never);
  const waiting = [seats.take(flowOf("a"), never), seats.take(flowOf("a"), never)];
  assert.throws(() => seats.take(flowOf("a"), never), codeOf("QueueFull"));
  const rejected = waiting.map((one) => assert.rejects(Promise.resolve(one), codeOf("TimeOut")));
  fire();
  await Promise.all(rejected);
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 1, waiting: 0 }]);
});

test("a client that disconnects leaves the queue", async () => {
  const seats = new Seats(handDriven().clock);
  const first = await seats.take(flowOf("a"), never);
  const gone = new AbortController();
  const waiting = assert.rejects(Promise.resolve(seats.take(flowOf("a"), () => gone.signal)), codeOf("TimeOut"));
  gone.abort();
  await waiting;
  first();
  assert.deepEqual(seats.numbers(), [{ level: "low", seated: 0, waiting: 0 }]);
});

test("a seat is freed once, and a flow without a seat goes before others", async () => {
  const seats = new Seats(handDriven().clock);
  const order: string[] = [];
  const enter = async (key: string): Promise<Release> => {
    const release = await seats.take({ ...flowOf(key), limits: { seats: 1, seatsPerFlow: 1, queueLength: 9 } }, never);
    order.push(key);
    return release;
  };
  const first = await enter("a");
  const waiting = ["a", "a", "b"].map(async (key) => (await enter(key))());
  first();
  first();
  await Promise.all(waiting);
  assert.deepEqual(order, ["a", "b", "a", "a"]);
});
