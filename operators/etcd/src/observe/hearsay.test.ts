import assert from "node:assert/strict";
import { test } from "node:test";
import type { Listed, SeenVolume } from "../contract.ts";
import { complete } from "./hearsay.ts";

const voter = (member: string): Listed => ({ member, id: `id-${member}`, isStarted: true, isLearner: false });
const learner = (member: string): Listed => ({ ...voter(member), isLearner: true });
const volume = (member: string): SeenVolume => ({ member, state: "bound", requested: 1, capacity: 1 });

test("who was let vote after the status was written votes, if anybody who answers knows it", () => {
  const remembered = [voter("e-0"), learner("e-1")];
  const heard = [voter("e-0"), learner("e-1"), voter("e-0"), voter("e-1")];
  assert.deepEqual(complete(remembered, { heard, volumes: [] }), [voter("e-0"), voter("e-1")]);
  assert.deepEqual(complete(remembered, { heard: [], volumes: [] }), remembered);
});

test("nobody stops voting because somebody who lags behind has not heard of it", () => {
  const remembered = [voter("e-0"), voter("e-1")];
  assert.deepEqual(complete(remembered, { heard: [learner("e-1")], volumes: [] }), remembered);
});

test("who is not remembered counts with a volume; a member that was removed has none", () => {
  const heard = [voter("e-1"), voter("e-2")];
  assert.deepEqual(complete([voter("e-0")], { heard, volumes: [volume("e-2")] }), [voter("e-0"), voter("e-2")]);
});

test("another member of the same name says nothing about the one that is remembered", () => {
  const other = { ...voter("e-1"), id: "other" };
  assert.deepEqual(complete([learner("e-1")], { heard: [other], volumes: [volume("e-1")] }), [learner("e-1")]);
});
