import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedMember, ObservedVolume } from "../contract.ts";
import { mergeReportedMembers } from "capstan/stateful/quorum";

const voter = (member: string): ListedMember => ({ member, id: `id-${member}`, isStarted: true, isLearner: false });
const learner = (member: string): ListedMember => ({ ...voter(member), isLearner: true });
const volume = (member: string): ObservedVolume => ({ member, state: "bound", requested: 1, capacity: 1 });

test("a learner promoted after the last status is a voter if any member reports it", () => {
  const remembered = [voter("e-0"), learner("e-1")];
  const heard = [voter("e-0"), learner("e-1"), voter("e-0"), voter("e-1")];
  assert.deepEqual(mergeReportedMembers(remembered, { heard, volumes: [] }), [voter("e-0"), voter("e-1")]);
  assert.deepEqual(mergeReportedMembers(remembered, { heard: [], volumes: [] }), remembered);
});

test("a voter stays a voter although a lagging member reports a learner", () => {
  const remembered = [voter("e-0"), voter("e-1")];
  assert.deepEqual(mergeReportedMembers(remembered, { heard: [learner("e-1")], volumes: [] }), remembered);
});

test("a member that is not recorded counts only with a volume", () => {
  const heard = [voter("e-1"), voter("e-2")];
  assert.deepEqual(mergeReportedMembers([voter("e-0")], { heard, volumes: [volume("e-2")] }), [
    voter("e-0"),
    voter("e-2"),
  ]);
});

test("another member of the same name says nothing about the recorded one", () => {
  const other = { ...voter("e-1"), id: "other" };
  assert.deepEqual(mergeReportedMembers([learner("e-1")], { heard: [other], volumes: [volume("e-1")] }), [
    learner("e-1"),
  ]);
});
