import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberStatus, ListedMember, ObservedPod, ObservedVolume } from "../contract.ts";
import { reasonsToCompare } from "./reasons.ts";
import type { CompareReasonFacts } from "./reasons.ts";

const NOW = 1_000_000;
const WANTED = { size: 3, replaceAfter: 300_000, replace: [], version: "3.6.16", templateHashFor: () => "p" };
const three: readonly ListedMember[] = ["e-0", "e-1", "e-2"].map((member) => ({
  member,
  id: member,
  isStarted: true,
  isLearner: false,
}));
const talking = { is: "talking" } as MemberStatus;
const silent: MemberStatus = { is: "silent", why: "nobody answers" };

/** Three members; the last one has this state. */
function factsWith(
  pod: Partial<ObservedPod>,
  { answer = silent, ...more }: Partial<CompareReasonFacts> & { answer?: MemberStatus } = {},
) {
  const { pods = podsWith(pod), volumes = three.map(volumeOf) } = more;
  return {
    hearing: {
      quorum: { by: "quorum", clusterId: "c", members: three },
      answers: { "e-0": talking, "e-1": talking, "e-2": answer },
    },
    wanted: WANTED,
    now: NOW,
    ...more,
    pods,
    volumes,
  } satisfies CompareReasonFacts;
}

function podsWith(last: Partial<ObservedPod>): ObservedPod[] {
  const well = { isReady: true, restarts: 0, since: NOW, initialCheck: "on", version: "3.6.16", templateHash: "p" };
  return three.map(
    ({ member }) => ({ ...well, member, uid: `u-${member}`, ...(member === "e-2" ? last : {}) }) as ObservedPod,
  );
}

function volumeOf({ member }: ListedMember): ObservedVolume {
  return { member, state: "bound", requested: 1, capacity: 1 };
}

test("no early comparison while members are healthy or only starting", () => {
  assert.deepEqual(reasonsToCompare(factsWith({}, { answer: talking })), []);
  assert.deepEqual(reasonsToCompare(factsWith({ isReady: false })), []);
});

test("a crash loop, replacement, lost volume or skipped check is a reason, once each", () => {
  assert.deepEqual(reasonsToCompare(factsWith({ isReady: false, restarts: 1 })), ["e-2 (u-e-2) does not start"]);
  const long = { isReady: false, since: NOW - 300_000 };
  assert.deepEqual(reasonsToCompare(factsWith(long)), ["e-2 (u-e-2) is given up"]);
  const both = reasonsToCompare(factsWith({ ...long, restarts: 4 }));
  assert.deepEqual(
    both,
    ["e-2 (u-e-2) does not start", "e-2 (u-e-2) is given up"],
    "it is asked again at the last moment",
  );
  const volumes = three.slice(0, 2).map(volumeOf);
  assert.deepEqual(reasonsToCompare(factsWith({ isReady: false }, { volumes })), ["e-2 has no volume"]);
  const unchecked = factsWith({ initialCheck: "off" }, { answer: talking });
  assert.deepEqual(reasonsToCompare(unchecked), ["e-2 (u-e-2) speaks unchecked"]);
});

test("a responding member that is replaced is a reason: it may only be cut off", () => {
  const long = { isReady: false, since: NOW - 300_000 };
  assert.deepEqual(reasonsToCompare(factsWith(long, { answer: talking })), ["e-2 (u-e-2) is given up"]);
});

const CHANGE = ["e-0, e-1, e-2 are about to change"];

test("more, fewer or other voters are a reason if there are two to compare", () => {
  const reasons = (desired: Partial<CompareReasonFacts["wanted"]>, pod: Partial<ObservedPod> = {}): readonly string[] =>
    reasonsToCompare(factsWith(pod, { answer: talking, wanted: { ...WANTED, ...desired } }));
  for (const size of [1, 2, 4, 5]) assert.deepEqual(reasons({ size }), CHANGE);
  assert.deepEqual(reasons({ size: 0 }), [], "it goes to sleep");
  assert.deepEqual(reasons({ replace: ["e-2"] }), CHANGE);
  assert.deepEqual(reasons({ replace: ["e-7"] }), [], "it is gone already");
  const volumes = three.map(volumeOf).with(2, { member: "e-2", state: "stopping", requested: 1, capacity: 1 });
  assert.deepEqual(reasonsToCompare(factsWith({}, { answer: talking, volumes })), CHANGE);
  const alone = { quorum: { by: "quorum", clusterId: "c", members: three.slice(0, 1) }, answers: {} } as const;
  assert.deepEqual(reasonsToCompare(factsWith({}, { hearing: alone, wanted: { ...WANTED, size: 5 } })), []);
});

test("a new template or version is a reason while members are replaced for it", () => {
  const members = three.slice(1);
  const report = {
    quorum: { by: "quorum", clusterId: "c", members },
    answers: { "e-1": talking, "e-2": talking },
  } as const;
  const reasons = (pod: Partial<ObservedPod>, desired: Partial<CompareReasonFacts["wanted"]> = {}): readonly string[] =>
    reasonsToCompare(factsWith(pod, { hearing: report, wanted: { ...WANTED, size: 2, ...desired } }));
  assert.deepEqual(reasons({}), []);
  assert.deepEqual(reasons({ templateHash: "q" }), ["e-1, e-2 are about to change"]);
  assert.deepEqual(reasons({}, { version: "3.7.3" }), ["e-1, e-2 are about to change"]);
  assert.deepEqual(reasons({ version: "3.7.3" }, { version: "3.7.3" }), ["e-1, e-2 are about to change"]);
  assert.deepEqual(reasonsToCompare(factsWith({ templateHash: "q" }, { answer: talking })), [], "three are restarted");
});
