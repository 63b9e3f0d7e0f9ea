import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberStatus, Observation } from "../../src/contract.ts";
import { decide } from "../../src/decide/index.ts";
import { follow, isAsWanted } from "./explore.ts";
import type { Known } from "./explore.ts";
import { Disaster } from "./disaster.ts";
import { isAlive, NEW, observe, OLD } from "./world.ts";
import type { Slot, World } from "./world.ts";
import { base, company, describeWorld, isCutOff, mustRecover, worldOf } from "./starts.ts";

/** Every condition of a member. */
const CONDITIONS: readonly Partial<Slot>[] = [
  {},
  { version: NEW },
  { isOldForm: true },
  { data: "corrupt" },
  { data: "foreign" },
  { data: "doomed" },
  { pod: "starting" },
  { pod: "starting", version: NEW },
  { pod: "none" },
  { pod: "ended" },
  { pod: "stopping" },
  { pod: "down", data: "broken" },
  { pod: "down", data: "broken", isLong: true },
  { pod: "starting", data: "empty" },
  { pod: "down", data: "empty", isLong: true },
  { pod: "down", version: NEW },
  { pod: "cut off" },
  { pod: "cut off", isLong: true },
  { pod: "none", data: "none" },
];

/** The conditions of a learner; there is at most one. */
const LEARNERS: readonly Partial<Slot>[] = [
  { role: "learner" },
  { role: "learner", boot: "join" },
  { role: "learner", version: NEW },
  { role: "learner", data: "corrupt" },
  { role: "learner", isStarted: false, data: "none", pod: "none" },
  { role: "learner", isStarted: false, data: "empty", pod: "none" },
  { role: "learner", isStarted: false, data: "empty", pod: "starting", boot: "join" },
  { role: "learner", isStarted: false, data: "empty", pod: "down", boot: "live" },
  { role: "learner", pod: "cut off", isLong: true },
];

const UPDATES: readonly World["update"][] = [
  undefined,
  { from: OLD, to: NEW, began: 1_000_000_000 },
  { from: OLD, to: NEW, member: "m-1", began: 1_000_000_000 },
  { from: OLD, to: NEW, began: 0, failed: "it did not come back", failedGeneration: 2 },
];

function* worlds(size: number): Generator<World> {
  for (const slots of companies()) {
    for (const update of UPDATES) {
      for (const version of [OLD, NEW]) yield worldOf({ slots, size, version, update });
    }
  }
}

/** Two or three members in every combination of conditions. */
function* companies(): Generator<Slot[]> {
  for (const [at, first] of CONDITIONS.entries()) {
    for (const second of CONDITIONS.slice(at)) {
      yield company([first, second]);
      for (const third of [...CONDITIONS, ...LEARNERS]) yield company([first, second, third]);
    }
  }
}

for (const size of [0, 1, 2, 3, 4, 5]) {
  test(`size ${size}: from every state, quorum is kept and data serves again`, () => {
    const visited: Known = new Map();
    let starts = 0;
    for (const world of worlds(size)) {
      starts++;
      try {
        const { end, world: final, last } = follow(world, visited);
        // A member whose data is deleted with its pod is not hibernated.
        const sleep = world.slots.some(({ data }) => data === "doomed") ? "refused" : "asleep";
        if (size === 0) assert.ok(end === sleep || isCutOff(world), JSON.stringify(last));
        else if (mustRecover(world))
          assert.ok(
            end === "available" && isAsWanted(final),
            `${end}: ${JSON.stringify(last)}\n${describeWorld(final)}`,
          );
        else assert.notEqual(end, "available", "nothing could have survived");
      } catch (error) {
        if (!(error instanceof Disaster || error instanceof assert.AssertionError)) throw error;
        assert.fail(`${error.message}\nfrom\n${describeWorld(world)}`);
      }
    }
    assert.ok(starts > 10_000 && visited.size > 1_000, `${starts} starts, ${visited.size} states`);
  });
}

for (const size of [1, 3, 5]) {
  test(`size ${size}: a template that never starts keeps quorum and serves the old one`, () => {
    const visited: Known = new Map();
    let putBack = 0;
    for (const slots of companies()) {
      // A running pod was created with the earlier template.
      const made = slots.map((slot) => (slot.pod === "up" ? { ...slot, isOldForm: true } : slot));
      const world = { ...worldOf({ slots: made, size, version: OLD, update: undefined }), badForm: "unnoted" } as const;
      const { end, world: final, last } = follow(world, visited);
      if (!mustRecover(world)) continue;
      const told = `${end}: ${JSON.stringify(last)}\n${describeWorld(final)}\nfrom\n${describeWorld(world)}`;
      assert.ok(end === "available" && isAsWanted(final), told);
      assert.ok(
        final.slots.every(({ role, isOldForm }) => role === "unlisted" || isOldForm),
        told,
      );
      putBack += Number(final.badForm === "noted");
    }
    assert.ok(putBack > 100, `${putBack} put back`);
  });
}

test("a backup replaces data only where all of it is lost for good", () => {
  let [recovered, refused] = [0, 0];
  const visited: Known = new Map();
  for (const slots of companies()) {
    const world = { ...worldOf({ slots, size: 3, version: OLD, update: undefined }), backup: "good" } as const;
    const voters = slots.filter(({ role }) => role === "voter");
    const isAllGone = voters.every(({ data }) => data === "none");
    const { end, world: final } = follow(world, visited);
    if (!isAllGone) {
      assert.notEqual(final.recovery?.source, "Backup", describeWorld(world));
      refused += Number(end === "refused");
      continue;
    }
    if (isCutOff(world)) continue;
    recovered++;
    assert.ok(end === "available" && isAsWanted(final), `${describeWorld(world)}\n${describeWorld(final)}`);
  }
  assert.ok(recovered > 3 && refused > 100, `${recovered} recovered, ${refused} refused`);
});

test("a learner's data is saved before a backup replaces it, and never without a store", () => {
  const lost = { pod: "none", data: "none" } as const;
  const learners = LEARNERS.filter(
    ({ isStarted = true, data = "good", pod = "up" }) => isStarted && data + pod === "goodup",
  );
  assert.ok(learners.length >= 3);
  for (const learner of learners) {
    for (const store of ["works", "fails", "none"] as const) {
      const slots = company([lost, lost, learner]);
      const world = { ...worldOf({ slots, size: 3, version: OLD, update: undefined }), backup: "good", store } as const;
      const { end, world: final, last } = follow(world, new Map());
      const told = `${store}: ${end}: ${JSON.stringify(last)}\n${describeWorld(final)}`;
      if (store === "works") assert.ok(end === "available" && isAsWanted(final), told);
      else
        assert.ok(end !== "available" && final.slots.some(({ name, data }) => name === "m-2" && data === "good"), told);
    }
  }
});

test("a member that continues alone was compared and has everything agreed on", () => {
  const lost = { pod: "none", data: "none" } as const;
  const slots = company([{}, {}, lost, lost, lost]);
  const seen = observe(worldOf({ slots, size: 5, version: OLD, update: undefined }));
  const told = (member: string, part: object) => ({
    ...seen.memberStatuses,
    [member]: { ...seen.memberStatuses[member], ...part } as MemberStatus,
  });
  assert.equal(decide({ ...seen, withoutHash: ["m-1"] }).do, "wait");
  assert.equal(decide({ ...seen, memberStatuses: told("m-1", { raftIndex: 5_000 }) }).do, "wait");
  const differing = decide({ ...seen, differing: ["m-0", "m-1"] });
  assert.ok(differing.do === "refuse" && differing.reason === "DataDiffers", JSON.stringify(differing));
  const further = decide({ ...seen, memberStatuses: told("m-1", { raftIndex: 5_000, applied: 5_000, revision: 9 }) });
  assert.ok(further.do === "note-recovery" && further.recovery.member === "m-1", JSON.stringify(further));
  const later = decide({ ...seen, newestBackup: "b", newestRevision: 1_000 });
  assert.ok(later.do === "note-recovery" && /b has revision 1000, later/u.test(later.recovery.mayBeLost ?? ""));
  const desired = { ...seen.desired, recoversFromBackup: true };
  const inLine = decide({ ...seen, desired, newestBackup: "b", newestRevision: 1_000, isNewestComplete: true });
  assert.ok(inLine.do === "note-recovery" && inLine.recovery.source === "Backup", JSON.stringify(inLine));
});

test("the majority is named only if more than half agree", () => {
  const wordsOn = (differing: readonly string[], size: number): string => {
    const slots = company(Array.from({ length: size }, () => ({})));
    const seen = observe(worldOf({ slots, size, version: OLD, update: undefined }));
    const action = decide({ ...seen, differing });
    return action.do === "refuse" ? action.why : action.do;
  };
  // The third member has another compaction, so its hash was not compared.
  assert.match(wordsOn(["m-0", "m-1"], 3), /it is unknown which is right/u);
  assert.match(wordsOn(["m-0", "m-1"], 2), /it is unknown which is right/u);
  assert.doesNotMatch(wordsOn(["m-0"], 3), /it is unknown/u);
});

test("members that serve data of another cluster are not removed, ready or not", () => {
  const slots = company([{ data: "foreign" }, { data: "foreign" }, { data: "foreign" }]);
  const seen = observe({ ...worldOf({ slots, size: 3, version: OLD, update: undefined }), backup: "good" });
  for (const isReady of [true, false]) {
    const action = decide({ ...seen, pods: seen.pods.map((pod) => ({ ...pod, isReady })) });
    assert.ok(action.do === "refuse" && action.reason === "DataDiffers", JSON.stringify(action));
  }
});

/** Restores in place, for every combination that could serve without one. */
function* restores(part: Pick<World, "backup" | "restore">): Generator<World> {
  for (const slots of companies()) {
    const world = { ...worldOf({ slots, size: 3, version: OLD, update: undefined }), ...part };
    if (!isCutOff(world) && mustRecover(world)) yield world;
  }
}

test("a requested restore in place succeeds from every state of the members", () => {
  const visited: Known = new Map();
  for (const world of restores({ backup: "good", restore: "asked" })) {
    const { end, world: final } = follow(world, visited);
    assert.equal(final.recovery?.restore, "r", describeWorld(world));
    assert.ok(end === "available" && isAsWanted(final), `${describeWorld(world)}\n${describeWorld(final)}`);
  }
});

test("a restore in place that cannot start is canceled, and the old data serves", () => {
  const visited: Known = new Map();
  for (const world of restores({ backup: "bad", restore: "asked" })) {
    // The volume of a member may be in deletion: then its data is deleted with its pod.
    if (world.slots.some(({ data }) => data === "doomed")) continue;
    const { end, world: final } = follow(world, visited);
    const { phase, source } = final.recovery ?? {};
    // After the restore is canceled, an earlier quorum loss may have to be recovered from the remaining members.
    assert.ok(phase === "Refused" || (phase === "Done" && source === "Member"), describeWorld(final));
    assert.ok(end === "available" && isAsWanted(final), `${describeWorld(world)}\n${describeWorld(final)}`);
  }
});

test("a restore in place stops no member while one may run on an unreachable node", () => {
  for (const slots of companies()) {
    const start = worldOf({ slots, size: 3, version: OLD, update: undefined });
    if (!isCutOff(start) || !mustRecover(start)) continue;
    const { end, world: final } = follow({ ...start, backup: "good", restore: "asked" }, new Map());
    assert.equal(final.recovery, undefined, describeWorld(final));
    assert.equal(end, "available", describeWorld(final));
  }
});

test("a restore in place is canceled if a node is lost while members stop", () => {
  const slots = company([{ pod: "none" }, { pod: "none" }, { pod: "cut off, leaving" }]);
  const recovery = { phase: "Stopping", source: "Backup", restore: "r" } as const;
  const start = { ...worldOf({ slots, size: 3, version: OLD, update: undefined }), recovery };
  const { end, world: final } = follow({ ...start, backup: "good", restore: "asked" }, new Map());
  assert.equal(end, "available", describeWorld(final));
  assert.equal(final.recovery?.phase, "Refused");
});

test("if the chosen survivor is lost before it serves, the next best continues", () => {
  for (const phase of ["Stopping", "Seeding"] as const) {
    const slots = company([{ pod: "none", data: "none" }, { pod: "none", data: "none" }, { pod: "none" }]);
    const recovery = { phase, source: "Member", member: "m-1" } as const;
    const start = { ...worldOf({ slots, size: 3, version: OLD, update: undefined }), recovery };
    const { end, world: final } = follow(start, new Map());
    assert.ok(end === "available" && isAsWanted(final), describeWorld(final));
    assert.equal(final.recovery?.member, "m-2");
  }
});

test("a withdrawn restore returns to the old data from every phase", () => {
  for (const phase of ["Stopping", "Seeding"] as const) {
    for (const seed of [
      [],
      [{ role: "unlisted", isStarted: false, data: "empty", pod: "down", boot: "seed-backup" }],
    ] as const) {
      const slots = company([{ pod: "none" }, { pod: "none" }, { pod: "none" }, ...seed]);
      const recovery = {
        phase,
        source: "Backup",
        restore: "r",
        ...(phase === "Seeding" ? { member: "m-3" } : {}),
      } as const;
      const start = worldOf({ slots, size: 3, version: OLD, update: undefined });
      const { end, world: final } = follow({ ...start, backup: "good", restore: "withdrawn", recovery }, new Map());
      assert.equal(end, "available");
      assert.deepEqual(
        final.slots.map(({ name }) => name),
        ["m-0", "m-1", "m-2"],
      );
    }
  }
});

test("bootstrap flags are cleared before the second member joins or a joiner votes", () => {
  const slots: Slot[] = [{ ...base, name: "m-0", boot: "seed" }];
  const { end, world } = follow(worldOf({ slots, size: 3, version: OLD, update: undefined }), new Map());
  assert.equal(end, "available");
  assert.deepEqual(
    world.slots.map(({ boot }) => boot),
    ["live", "live", "live"],
  );
});

test("an impossible member list is ignored, and pods are still recreated", () => {
  const rejectedMemberList = "m-0 remembers nobody";
  const slots = company([{}, { pod: "none" }, { pod: "down" }]);
  const seen = {
    ...observe(worldOf({ slots, size: 3, version: OLD, update: undefined })),
    rejectedMemberList,
  };
  const back = decide(seen);
  assert.deepEqual(back, { do: "create-pod", member: "m-1", boot: "live", version: OLD });
  const pods = [...seen.pods, ...seen.pods.slice(-1).map((pod) => ({ ...pod, member: "m-1" }))];
  assert.deepEqual(decide({ ...seen, pods }), { do: "refuse", reason: "DataDiffers", why: rejectedMemberList });
});

test("a version that does not start is rolled back, and the cluster serves", () => {
  for (const size of [1, 2, 3, 5]) {
    const slots = Array.from({ length: size }, (_, at): Slot => ({ ...base, name: `m-${at}` }));
    const world = { ...worldOf({ slots, size, version: NEW, update: undefined }), badVersion: NEW };
    const { end, world: final } = follow(world, new Map());
    assert.equal(end, "available");
    assert.ok(final.slots.every((slot) => slot.version === OLD && isAlive(slot)) && final.slots.length === size);
    assert.match(final.update?.failed ?? "", /did not come back/u);
  }
});

test("a quota below the database size is not applied, unless it was low before", () => {
  const slots = company([{ isOldForm: true }, { isOldForm: true }, { isOldForm: true }]);
  const seen = observe({ ...worldOf({ slots, size: 3, version: OLD, update: undefined }), leader: "m-0" });
  const full = (quota: number): Observation["memberStatuses"] =>
    Object.fromEntries(
      Object.entries(seen.memberStatuses).map(([name, answer]) => [name, { ...answer, dbBytes: 150, quota }]),
    );
  const refused = decide({ ...seen, memberStatuses: full(200) });
  assert.ok(refused.do === "refuse" && refused.reason === "QuotaTooSmall", JSON.stringify(refused));
  assert.equal(decide({ ...seen, memberStatuses: full(100) }).do, "delete-pod");
});

test("the log outgrows a snapshot of running members, whatever the spec says now", () => {
  const slots = company([{ version: NEW }, { version: NEW }, { version: NEW }]);
  const seen = observe({ ...worldOf({ slots, size: 3, version: "3.7.3", update: undefined }), store: "none" });
  const pods = seen.pods.map((pod) => ({ ...pod, snapshotCount: 10_000 }));
  const action = decide({ ...seen, pods, desired: { ...seen.desired, snapshotCount: 10 } });
  assert.ok(action.do === "note-update" && (action.update?.floor ?? 0) > 10_100, JSON.stringify(action));
});

test("a failing store holds up the update and nothing else", () => {
  for (const harm of CONDITIONS.filter(({ version, data }) => version === undefined && data !== "doomed")) {
    const slots = [base, base, { ...base, ...harm }].map((slot, at): Slot => ({ ...slot, name: `m-${at}` }));
    const world = { ...worldOf({ slots, size: 3, version: NEW, update: undefined }), store: "fails" } as const;
    const { last, world: final } = follow(world, new Map());
    assert.match(JSON.stringify(last), /fails: no route/u, JSON.stringify(harm));
    assert.ok(isAsWanted(final) && final.slots.every(({ version }) => version === OLD), JSON.stringify(harm));
  }
});

test("without a store the update continues", () => {
  const slots = [0, 1, 2].map((at): Slot => ({ ...base, name: `m-${at}` }));
  const world = { ...worldOf({ slots, size: 3, version: NEW, update: undefined }), store: "none" } as const;
  const { end, world: final } = follow(world, new Map());
  assert.equal(end, "available");
  assert.ok(final.slots.every(({ version }) => version === NEW));
});
