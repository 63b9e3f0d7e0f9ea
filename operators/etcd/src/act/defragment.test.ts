import assert from "node:assert/strict";
import { test } from "node:test";
import { defragmentNext, dueRound } from "./defragment.ts";
import type { ActionContext } from "./reconcile-context.ts";

const members = ["e-1", "e-2", "e-0"];
const created = Date.parse("2026-01-01T00:00:00Z");
const at = (time: string): number => Date.parse(time);

test("a round is due by the schedule and covers all members, the leader last", () => {
  const facts = { schedule: "0 3 * * *", created, former: undefined, members };
  assert.equal(dueRound({ ...facts, now: at("2026-01-01T02:59:59Z") }), undefined);
  const round = dueRound({ ...facts, now: at("2026-01-01T03:00:10Z") });
  assert.deepEqual(round, { began: "2026-01-01T03:00:10Z", left: members });
});

test("an interrupted round continues with its remaining members", () => {
  const former = { began: "2026-01-01T03:00:10Z", left: ["e-0", "e-2", "e-9"] };
  const round = dueRound({ schedule: "0 3 * * *", created, former, members, now: at("2026-01-02T07:00:00Z") });
  assert.deepEqual(round, { began: former.began, left: ["e-2", "e-0"] });
});

test("the round after this one is due at its next time; missed rounds are skipped", () => {
  const former = { began: "2026-01-01T03:00:10Z", left: [] };
  const facts = { schedule: "0 3 * * *", created, former, members };
  assert.equal(dueRound({ ...facts, now: at("2026-01-02T02:00:00Z") }), undefined);
  assert.deepEqual(dueRound({ ...facts, now: at("2026-01-09T05:00:00Z") })?.began, "2026-01-09T05:00:00Z");
});

test("a missing or invalid schedule is never due", () => {
  for (const schedule of [undefined, "61 * * * *"])
    assert.equal(
      dueRound({ schedule, created, former: undefined, members, now: at("2027-01-01T00:00:00Z") }),
      undefined,
    );
});

test("a replica without the lease does not defragment a member", async () => {
  const asked: string[] = [];
  const large = { is: "talking", id: "a", leader: "a", dbBytes: 2 ** 30, dbBytesInUse: 2 ** 20 };
  const turnWith = (begin: () => void) => ({
    seen: {
      now: created,
      object: { metadata: {}, spec: { maintenance: { defragment: { whenFreeable: 50 } } } },
      membership: { members: [{ member: "e-0" }] },
      memberStatuses: { "e-0": large },
      clients: { to: (member: string) => ({ maintenance: { defragment: async () => void asked.push(member) } }) },
    },
    signal: AbortSignal.any([]),
    event: () => undefined,
    step: async (_name: string, run: () => Promise<void>) => {
      begin();
      await run();
    },
  });
  const fenced = turnWith(() => {
    throw new Error("this replica has lost the lease");
  });
  await assert.rejects(defragmentNext(fenced as unknown as ActionContext), /lost the lease/u);
  assert.deepEqual(asked, []);
  assert.equal(await defragmentNext(turnWith(() => undefined) as unknown as ActionContext), true);
  assert.deepEqual(asked, ["e-0"]);
});
