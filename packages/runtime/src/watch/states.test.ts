import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError, ConnectionError } from "@capstan/client";
import { RuntimeError } from "../errors.ts";
import { nextState, usualTuning } from "./states.ts";
import type { End, Progress, State } from "./states.ts";

const watching: Progress = { state: { at: "watching", version: "7" }, version: "7", failures: 0 };
const asking: Progress = { state: { at: "probing", version: "7" }, version: "7", failures: 0 };
const listing: Progress = { state: { at: "streaming" }, version: undefined, failures: 0 };
const paging: Progress = { state: { at: "paging", pageSize: 500 }, version: undefined, failures: 0 };

function next(progress: Progress, end: End): State {
  return nextState(progress, end, usualTuning, () => 1);
}

function failed(code: ApiError["code"], more: { retryAfterMs?: number; reason?: string } = {}): End {
  const status =
    more.reason === undefined ? undefined : { kind: "Status" as const, details: { causes: [{ reason: more.reason }] } };
  return {
    how: "failed",
    error: new ApiError({ code, message: code, retryAfterMs: more.retryAfterMs, statusObject: status as never }),
  };
}

describe("the next state of a watch", () => {
  const cases: readonly (readonly [name: string, from: Progress, end: End, to: State])[] = [
    [
      "a normal close goes on from the last version, without a list",
      watching,
      { how: "closed", lived: 300_000 },
      { at: "watching", version: "7" },
    ],
    ["an idle stream goes on from the last version", watching, { how: "idle" }, { at: "watching", version: "7" }],
    [
      "a second idle stream on which nothing came is a reason to ask: the server may have lost its history",
      { ...watching, failures: 1 },
      { how: "idle" },
      { at: "probing", version: "7" },
    ],
    [
      "a server that is as far as what is known is believed",
      asking,
      { how: "probed", version: "7", isKnown: true },
      watching.state,
    ],
    ["so is one that is further", asking, { how: "probed", version: "10", isKnown: true }, watching.state],
    [
      "one that is not has lost its history",
      asking,
      { how: "probed", version: "6", isKnown: true },
      { at: "streaming" },
    ],
    [
      "of versions that are no numbers nothing is sure",
      asking,
      { how: "probed", version: "x", isKnown: true },
      { at: "streaming" },
    ],
    [
      "who cannot ask goes on",
      asking,
      failed("InternalError"),
      { at: "waiting", delay: 800, then: { at: "watching", version: "7" } },
    ],
    [
      "many closes without a word are one, too",
      { ...watching, failures: 20 },
      { how: "closed", lived: 60_000 },
      { at: "probing", version: "7" },
    ],
    [
      "and so are many failures",
      { ...watching, failures: 20 },
      failed("InternalError"),
      { at: "waiting", delay: 30_000, then: { at: "probing", version: "7" } },
    ],
    ["one short life is an accident", watching, { how: "closed", lived: 3 }, { at: "watching", version: "7" }],
    [
      "two short lives are a reason to rest",
      { ...watching, failures: 1 },
      { how: "closed", lived: 3 },
      { at: "waiting", delay: 1600, then: { at: "watching", version: "7" } },
    ],
    [
      "a server that asks for a day is asked again after minutes",
      watching,
      failed("ServiceUnavailable", { retryAfterMs: 86_400_000 }),
      { at: "waiting", delay: 300_000, then: { at: "watching", version: "7" } },
    ],
    ["an expired version means a new list", watching, failed("Expired"), { at: "streaming" }],
    ["a gone version means a new list", watching, failed("Gone"), { at: "streaming" }],
    [
      "a list that expires while it is paged is asked for whole",
      paging,
      failed("Expired"),
      { at: "waiting", delay: 800, then: { at: "paging", pageSize: 0 } },
    ],
    [
      "a server without streaming lists is asked page by page",
      listing,
      failed("Invalid"),
      { at: "paging", pageSize: 500 },
    ],
    [
      "a server error rests and goes on without a list",
      watching,
      failed("InternalError"),
      { at: "waiting", delay: 800, then: { at: "watching", version: "7" } },
    ],
    [
      "an overloaded server is given the time that it asks for",
      watching,
      failed("TooManyRequests", { retryAfterMs: 9000 }),
      { at: "waiting", delay: 9000, then: { at: "watching", version: "7" } },
    ],
    [
      "rests grow with failures and have a limit",
      { ...watching, failures: 19 },
      failed("InternalError"),
      { at: "waiting", delay: 30_000, then: { at: "watching", version: "7" } },
    ],
    [
      "a list that broke begins again",
      listing,
      failed("InternalError"),
      { at: "waiting", delay: 800, then: { at: "streaming" } },
    ],
    [
      "a kind that is not served is asked for at a steady pace",
      { ...listing, failures: 9 },
      failed("UnknownKind"),
      { at: "waiting", delay: 3000, then: { at: "streaming" } },
    ],
    [
      "a server that lags behind is given time",
      watching,
      failed("Timeout", { reason: "ResourceVersionTooLarge" }),
      { at: "waiting", delay: 800, then: { at: "watching", version: "7" } },
    ],
    [
      "a server that never catches up tells the truth",
      { ...watching, failures: 3 },
      failed("Timeout", { reason: "ResourceVersionTooLarge" }),
      { at: "waiting", delay: 6400, then: { at: "streaming" } },
    ],
    [
      "a list that is older than what is known is asked for again",
      { ...listing, failures: 1 },
      { how: "failed", error: new RuntimeError("ServerBehind", "older") },
      { at: "waiting", delay: 1600, then: { at: "streaming" } },
    ],
    [
      "also where lists are paged",
      paging,
      { how: "failed", error: new RuntimeError("ServerBehind", "older") },
      { at: "waiting", delay: 800, then: paging.state },
    ],
  ];
  for (const [name, from, end, to] of cases) test(name, () => assert.deepEqual(next(from, end), to));

  test("a broken connection waits and continues", () => {
    const error = new ConnectionError({ code: "ConnectionLost", server: "x", sent: true });
    assert.deepEqual(next(watching, { how: "failed", error }), {
      at: "waiting",
      delay: 800,
      then: { at: "watching", version: "7" },
    });
  });
});
