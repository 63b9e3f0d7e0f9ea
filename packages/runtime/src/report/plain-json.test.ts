/** Every thrown or logged value gives a log line. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { messageOf } from "../failure.ts";
import { createLog, guardedLog } from "../log.ts";
import { plainJson } from "./plain-json.ts";

function cyclicError(): Error {
  const error: Error & { cause?: unknown } = new Error("boom");
  error.cause = error;
  return error;
}

const response: { status: number; request?: unknown } = { status: 500 };
response.request = { response };

const unreadable = Object.defineProperty({ fine: 1 }, "broken", {
  enumerable: true,
  get: () => {
    throw new Error("no");
  },
});

const untouchable = new Proxy(
  {},
  {
    get: () => {
      throw new Error("no");
    },
    getPrototypeOf: () => {
      throw new Error("no");
    },
    ownKeys: () => {
      throw new Error("no");
    },
  },
);

class Silent extends Error {
  override get message(): string {
    throw new Error("no");
  }
}

const odd: readonly unknown[] = [
  cyclicError(),
  new Error("x", { cause: response }),
  response,
  Object.create(null),
  unreadable,
  untouchable,
  new Silent(),
  Symbol("s"),
  undefined,
  1n,
  () => 1,
];

describe("the JSON of any value", () => {
  test("is JSON", () => {
    for (const value of odd) JSON.parse(plainJson({ value }));
  });

  test("shows all readable parts", () => {
    assert.deepEqual(JSON.parse(plainJson({ response })), {
      response: { status: 500, request: { response: "(itself)" } },
    });
    assert.deepEqual(JSON.parse(plainJson(unreadable)), { fine: 1, broken: "(cannot be read)" });
    const { error } = JSON.parse(plainJson({ error: cyclicError() }));
    assert.equal(error.message, "boom");
    assert.equal(error.cause, "(itself)");
  });

  test("equals JSON.stringify if that succeeds", () => {
    const value = { a: [1, "two", null, { b: true }], at: new Date(0) };
    assert.equal(plainJson(value), JSON.stringify(value));
  });
});

describe("the message of any thrown value", () => {
  test("is a string", () => {
    for (const value of odd) assert.equal(typeof messageOf(value), "string");
    assert.equal(
      messageOf(Object.create(null)),
      "The reconciler threw a value that is not an Error and has no message: throw errors.",
    );
    assert.equal(messageOf({ message: "no database" }), "no database");
    assert.equal(messageOf({ status: 503 }), '{"status":503}');
  });
});

describe("a log", () => {
  test("writes a line for every value", () => {
    const lines: string[] = [];
    const log = createLog({ clock: { now: () => 0, wall: () => 0, later: never }, write: (line) => lines.push(line) });
    for (const error of odd) log.error("failed", { error });
    assert.equal(lines.length, odd.length);
    for (const line of lines) assert.equal(JSON.parse(line).message, "failed");
  });

  test("a user's log that throws does not fail the caller", () => {
    const log = guardedLog({ debug: never, info: never, warn: never, error: never, with: never, writes: never });
    log.error("failed");
    log.with({ a: 1 }).info("went on");
    assert.equal(log.writes("error"), true);
  });
});

function never(): never {
  throw new Error("never");
}
