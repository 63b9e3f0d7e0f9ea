import assert from "node:assert/strict";
import { test } from "node:test";
import { type Job, nextJob } from "./schedule.ts";

const job = (seconds: number, cpuSeconds: number, more: Partial<Job> = {}): Job => ({
  seconds,
  cpuSeconds,
  alone: false,
  needs: [],
  ...more,
});
const state = { capacity: { cores: 2, most: 4 }, ready: new Set<string>() };

test("the longest job starts first", () => {
  const [short, long] = [job(1, 1), job(9, 9)];
  assert.equal(nextJob([short, long], [], state), long);
});

test("a waiting job starts beside computing ones, another computing one does not", () => {
  const running = [job(9, 9), job(9, 9)];
  const [waits, computes] = [job(5, 0.5), job(8, 8)];
  assert.equal(nextJob([computes, waits], running, state), waits);
  assert.equal(nextJob([computes], running, state), undefined);
});

test("a job that computes on more cores than there are starts when nothing runs", () => {
  const greedy = job(5, 50);
  assert.equal(nextJob([greedy], [job(5, 5)], state), undefined);
  assert.equal(nextJob([greedy], [], state), greedy);
});

test("a job waits for what it needs", () => {
  const needy = job(9, 1, { needs: ["images"] });
  const other = job(1, 1);
  assert.equal(nextJob([needy, other], [], state), other);
  assert.equal(nextJob([needy, other], [], { ...state, ready: new Set(["images"]) }), needy);
});

test("a job that runs alone starts last, with no other job beside it", () => {
  const alone = job(9, 1, { alone: true });
  const other = job(1, 1);
  assert.equal(nextJob([alone, other], [], state), other);
  assert.equal(nextJob([alone], [other], state), undefined);
  assert.equal(nextJob([alone], [], state), alone);
  assert.equal(nextJob([other], [alone], state), undefined);
});

test("memory limits the number of parallel jobs", () => {
  const waits = job(9, 0);
  assert.equal(nextJob([waits], [waits, waits, waits, waits], state), undefined);
});
