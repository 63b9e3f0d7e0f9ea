import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedMember, ObservedVolume } from "../contract.ts";
import { rejectMemberList } from "capstan/stateful/quorum";

const voters = (...names: readonly string[]): ListedMember[] =>
  names.map((member) => ({ member, id: `id-${member}`, isStarted: true, isLearner: false }));

const volumes = (state: ObservedVolume["state"], ...names: readonly string[]): ObservedVolume[] =>
  names.map((member) => ({ member, state, requested: 1, capacity: 1 }));

const remembered = voters("e-0", "e-1", "e-2");

test("a list of one is rejected if the volumes of three members exist", () => {
  const why = rejectMemberList(voters("e-0"), { remembered, volumes: volumes("bound", "e-0", "e-1", "e-2") });
  assert.match(why ?? "", /the operator has not removed e-1, e-2/u);
});

test("a list with one member less, or several with their volumes, is accepted", () => {
  const all = volumes("bound", "e-0", "e-1", "e-2");
  assert.equal(rejectMemberList(voters("e-0", "e-1"), { remembered, volumes: all }), undefined);
  const going = [...volumes("bound", "e-0", "e-1"), ...volumes("stopping", "e-2")];
  assert.equal(rejectMemberList(voters("e-0"), { remembered, volumes: going }), undefined);
  assert.equal(rejectMemberList(remembered, { remembered: voters("e-0"), volumes: all }), undefined);
});
