import assert from "node:assert/strict";
import { test } from "node:test";
import { isStillValid, disagreementKey, withSince } from "./disagreement.ts";

const MINUTE = 60_000;
const two = ["e-0", "e-1"].map((member) => ({ member, id: `id-${member}`, isStarted: true, isLearner: false }));
const facts = {
  hearing: { quorum: { by: "quorum", clusterId: "c", members: two } },
  pods: two.map(({ member }) => ({ member, uid: `u-${member}` })),
  generation: 3,
} as const;

test("an unchanged finding is checked again after one minute, two, four, up to an hour", () => {
  const found = { differing: ["e-0", "e-1"] };
  let comparison = withSince({ at: 0, ...found }, { former: undefined, subject: "s", now: 0 });
  const pauses: number[] = [];
  for (let minute = 1; minute <= 300; minute++) {
    const now = minute * MINUTE;
    if (isStillValid(comparison, { subject: "s", now })) continue;
    pauses.push((now - comparison.at) / MINUTE);
    comparison = withSince({ at: now, ...found }, { former: comparison, subject: "s", now });
  }
  assert.deepEqual(pauses, [1, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("other members or another finding are checked at once", () => {
  const former = withSince({ at: 0, differing: ["e-0", "e-1"] }, { former: undefined, subject: "s", now: 0 });
  assert.equal(isStillValid(former, { subject: "s", now: 1 }), true);
  assert.equal(isStillValid(former, { subject: "t", now: 1 }), false);
  const now = 10 * MINUTE;
  assert.equal(withSince({ at: now, differing: ["e-1", "e-0"] }, { former, subject: "s", now }).since, 0);
  assert.equal(withSince({ at: now, differing: ["e-0"] }, { former, subject: "s", now }).since, now);
  assert.equal(withSince({ at: now, differing: ["e-0", "e-1"] }, { former, subject: "t", now }).since, now);
  assert.deepEqual(withSince({ at: now, differing: [] }, { former, subject: "s", now }), { at: now, differing: [] });
});

test("a kept finding stays about its members, even if there are others now", () => {
  const former = withSince({ at: 0, differing: ["e-0"] }, { former: undefined, subject: "s", now: 0 });
  assert.equal(withSince(former, { former, subject: "t", now: MINUTE }), former);
});

test("another voter, pod or spec is checked at once; a learner does not matter", () => {
  const subject = disagreementKey(facts);
  const pods = facts.pods.with(0, { member: "e-0", uid: "other" });
  const learner = { member: "e-2", id: "id-e-2", isStarted: true, isLearner: true };
  const among = (members: typeof two) => ({ quorum: { by: "quorum", clusterId: "c", members } }) as const;
  for (const other of [{ pods }, { generation: 4 }, { hearing: among(two.slice(1)) }])
    assert.notEqual(disagreementKey({ ...facts, ...other }), subject);
  assert.equal(disagreementKey({ ...facts, hearing: among([learner, ...two.toReversed()]) }), subject);
});
