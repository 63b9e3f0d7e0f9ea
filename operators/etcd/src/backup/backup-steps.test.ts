import assert from "node:assert/strict";
import { test } from "node:test";
import { nextStep } from "./backup-steps.ts";
import type { BackupSeen } from "./backup-steps.ts";

const MINUTE = 60_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const hash = "0";
const record = {
  time: "2026-01-01T00:00:10Z",
  bytes: 1,
  version: "3.6.16",
  revision: 5,
  hash,
  verified: "checksum",
} as const;

function conditionOf(reason: string): NonNullable<BackupSeen["status"]["conditions"]> {
  return [
    { type: "Ready", status: "False", reason, message: "", lastTransitionTime: record.time, observedGeneration: 1 },
  ];
}

/** Twelve hours in which every trial restore fails: the steps, and the times of the backups. */
function play(schedule: string | undefined, reason: string): { readonly made: number[]; readonly tried: number } {
  const made: number[] = [];
  let tried = 0;
  let status: Partial<BackupSeen["status"]> = {
    last: { name: "b0", ...record },
    failures: 0,
    lastAttempt: "2026-01-01T00:00:00Z",
  };
  const spec = { cluster: "e", verify: "restore", timeout: "10m", ...(schedule === undefined ? {} : { schedule }) };
  for (let now = start + MINUTE; now < start + 12 * 60 * MINUTE; now += MINUTE) {
    const seen = { now, spec, status, created: start, jobs: [], cluster: "there" } as unknown as BackupSeen;
    const step = nextStep(seen);
    const lastAttempt = new Date(now).toISOString();
    if (step.do === "make") {
      made.push((now - start) / MINUTE);
      status = {
        ...status,
        lastAttempt,
        conditions: conditionOf("OnTrial"),
        last: { ...record, name: `b${made.length}`, time: lastAttempt },
      };
    }
    if (step.do !== "verify") continue;
    tried++;
    status = { ...status, lastAttempt, failures: (status.failures ?? 0) + 1, conditions: conditionOf(reason) };
  }
  return { made, tried };
}

test("a backup that fails its trial does not stop the schedule, and is tried again", () => {
  const { made, tried } = play("0 * * * *", "Different");
  assert.deepEqual(made, [60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 660]);
  assert.ok(tried > made.length && tried < 100, `tried ${tried} times`);
});

test("a backup after an outage is tried before the schedule makes another one", () => {
  const last = { ...record, name: "b9", time: "2026-01-01T01:00:10Z" };
  const status = { last, failures: 9, lastAttempt: "2026-01-01T01:00:00Z", conditions: conditionOf("OnTrial") };
  const spec = { cluster: "e", verify: "restore", timeout: "10m", schedule: "*/5 * * * *" };
  const seen = { now: Date.parse("2026-01-01T01:00:20Z"), spec, status, created: start, jobs: [], cluster: "there" };
  assert.equal(nextStep(seen as unknown as BackupSeen).do, "verify");
  assert.equal(nextStep({ ...seen, now: seen.now + 6 * MINUTE } as unknown as BackupSeen).do, "verify");
});

test("a manual backup that is spoiled is made again; a temporary failure is retried", () => {
  const { made } = play(undefined, "NotFound");
  assert.ok(made.length > 1 && made.length < 80, `made ${made.length} times`);
  assert.deepEqual(play(undefined, "Unreachable").made, []);
  const { made: anew } = play(undefined, "Different");
  assert.ok(anew.length > 1 && anew.length < 6, "what is whole and never passes does not fill the store");
});
