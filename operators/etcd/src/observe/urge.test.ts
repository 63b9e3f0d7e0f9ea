import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Listed, SeenPod, SeenVolume } from "../contract.ts";
import { reasonsToCompare } from "./urge.ts";
import type { UrgeFacts } from "./urge.ts";

const NOW = 1_000_000;
const three: readonly Listed[] = ["e-0", "e-1", "e-2"].map((member) => ({
  member,
  id: member,
  isStarted: true,
  isLearner: false,
}));
const talking = { is: "talking" } as Answer;
const silent: Answer = { is: "silent", why: "nobody answers" };

/** Three members, the last of whom is as it is said. */
function factsWith(pod: Partial<SeenPod>, { answer = silent, ...more }: Partial<UrgeFacts> & { answer?: Answer } = {}) {
  const { pods = podsWith(pod), volumes = three.map(volumeOf) } = more;
  return {
    hearing: {
      quorum: { by: "quorum", clusterId: "c", members: three },
      answers: { "e-0": talking, "e-1": talking, "e-2": answer },
    },
    wanted: { size: 3, replaceAfter: 300_000 },
    now: NOW,
    ...more,
    pods,
    volumes,
  } satisfies UrgeFacts;
}

function podsWith(last: Partial<SeenPod>): SeenPod[] {
  const well = { isReady: true, restarts: 0, since: NOW, initialCheck: "on" };
  return three.map(
    ({ member }) => ({ ...well, member, uid: `u-${member}`, ...(member === "e-2" ? last : {}) }) as SeenPod,
  );
}

function volumeOf({ member }: Listed): SeenVolume {
  return { member, state: "bound", requested: 1, capacity: 1 };
}

test("nobody is compared out of turn while all is well, or somebody only starts", () => {
  assert.deepEqual(reasonsToCompare(factsWith({}, { answer: talking })), []);
  assert.deepEqual(reasonsToCompare(factsWith({ isReady: false })), []);
});

test("whoever ends again and again, is given up, has no volume or speaks unchecked is a reason, one for each time", () => {
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

test("one more is a reason as long as nobody has been let in, and where there are two to compare", () => {
  const wanted = { size: 5, replaceAfter: 300_000 };
  const [reason] = reasonsToCompare(factsWith({}, { answer: talking, wanted }));
  assert.equal(reason, "one more than e-0, e-1, e-2 is let in");
  const alone = { quorum: { by: "quorum", clusterId: "c", members: three.slice(0, 1) }, answers: {} } as const;
  assert.deepEqual(reasonsToCompare(factsWith({}, { hearing: alone, wanted })), []);
});
