import assert from "node:assert/strict";
import { test } from "node:test";
import type { Way } from "./impersonation.ts";
import { LastWays } from "./last-ways.ts";

const way = (constraint: string): Way => ({ user: { name: "bob", groups: [] }, constraint, needs: [] });
const [newer, older] = [way("impersonate:user-info"), way("")];

test("the way that was allowed last is tried first for the same user", () => {
  const ways = new LastWays();
  ways.allowed("alice", older);
  assert.deepEqual(ways.inOrder("alice", [newer, older]), [older, newer]);
  assert.deepEqual(ways.inOrder("alice", [newer]), [newer]);
  assert.deepEqual(ways.inOrder("carol", [newer, older]), [newer, older]);
  ways.allowed("alice", newer);
  assert.deepEqual(ways.inOrder("alice", [newer, older]), [newer, older]);
});

test("the number of remembered users is bounded", () => {
  const ways = new LastWays();
  for (let number = 0; number <= 10_000; number++) ways.allowed(`user-${number}`, older);
  assert.deepEqual(ways.inOrder("user-0", [newer, older]), [newer, older]);
  assert.deepEqual(ways.inOrder("user-1", [newer, older]), [older, newer]);
});
