import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timer } from "../clock.ts";
import { OutgoingError, type OutgoingAnswer, type OutgoingCall } from "./outgoing.ts";
import { post } from "./post.ts";

type Step = (call: OutgoingCall) => Partial<OutgoingAnswer>;

/** Returns the given responses in order and repeats the last one. Pauses take no time; the timeout never fires. */
function playing(...steps: readonly [Step, ...Step[]]) {
  const calls: OutgoingCall[] = [];
  const waits: number[] = [];
  const after = (milliseconds: number, run: () => void): Timer => {
    if (milliseconds < patience) {
      waits.push(milliseconds);
      queueMicrotask(run);
    }
    return { cancel: () => {} };
  };
  const call = async (made: OutgoingCall): Promise<OutgoingAnswer> => {
    const step = steps[Math.min(calls.length, steps.length - 1)] ?? steps[0];
    calls.push(made);
    return { status: 200, headers: {}, body: Buffer.from("done"), ...step(made) };
  };
  return { calls, waits, services: { call, after } };
}

const patience = 1_000_000;
const url = "https://hooks.test/a?timeout=10s";
const place = { host: "10.0.0.1", port: 443 };
const posting = { url, headers: {}, body: "{}", authority: undefined, connectTo: place, patience };
const to =
  (status: number, location?: string): Step =>
  () => ({ status, headers: location === undefined ? {} : { location } });
const again =
  (status: number, retryAfter: string): Step =>
  () => ({ status, headers: { "retry-after": retryAfter } });
const done: Step = () => ({});
const statusOf = (answer: OutgoingAnswer | string): number | string =>
  typeof answer === "string" ? answer : answer.status;

test("307 and 308 redirects keep the body, older ones do not", async () => {
  for (const [status, method, body] of [
    [301, "GET", undefined],
    [302, "GET", undefined],
    [303, "GET", undefined],
    [307, "POST", "{}"],
    [308, "POST", "{}"],
  ] as const) {
    const { calls, services } = playing(to(status, "/b"), done);
    assert.equal(statusOf(await post(posting, services)), 200);
    assert.deepEqual([calls[1]?.url, calls[1]?.method, calls[1]?.body], ["https://hooks.test/b", method, body]);
    assert.deepEqual(calls[1]?.connectTo, place);
  }
});

test("a redirect to another host does not use the service's endpoint", async () => {
  const { calls, services } = playing(to(307, "https://elsewhere.test/"), done);
  await post(posting, services);
  assert.equal(calls[1]?.connectTo, undefined);
});

test("a redirect without a location is a response, and a redirect loop fails", async () => {
  assert.equal(statusOf(await post(posting, playing(to(307)).services)), 307);
  const { calls, services } = playing(to(307, "/round"));
  assert.equal(await post(posting, services), 'Post "/round": stopped after 10 redirects');
  assert.equal(calls.length, 10);
});

test("a response with Retry-After is retried, ten times at most", async () => {
  const twice = playing(again(503, "2"), again(429, "0"), done);
  assert.equal(statusOf(await post(posting, twice.services)), 200);
  assert.deepEqual(twice.waits, [2000]);
  const endless = playing(again(503, "0"));
  assert.equal(statusOf(await post(posting, endless.services)), 503);
  assert.equal(endless.calls.length, 11);
});

test("other responses are final", async () => {
  for (const step of [again(404, "1"), again(503, "soon"), () => ({ status: 503 })]) {
    const { calls, services } = playing(step, done);
    await post(posting, services);
    assert.equal(calls.length, 1);
  }
});

test("the timeout ends a pause", async () => {
  const call = async (): Promise<OutgoingAnswer> => ({
    status: 503,
    headers: { "retry-after": "30" },
    body: Buffer.of(),
  });
  const after = (milliseconds: number, run: () => void): Timer => {
    if (milliseconds === 1000) queueMicrotask(run);
    return { cancel: () => {} };
  };
  assert.equal(await post({ ...posting, patience: 1000 }, { call, after }), `Post "${url}": context deadline exceeded`);
});

test("a failure names the address that failed", async () => {
  const { services } = playing(to(308, "https://down.test/"), () => {
    throw new OutgoingError("Refused", "dial tcp: connection refused");
  });
  assert.equal(await post(posting, services), 'Post "https://down.test/": dial tcp: connection refused');
});
