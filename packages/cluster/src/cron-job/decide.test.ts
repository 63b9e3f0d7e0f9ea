import assert from "node:assert/strict";
import { test } from "node:test";
import type { CronJob, Job } from "@capstan/kinds/batch/v1";
import { decide } from "./decide.ts";

const at = (text: string): number => Date.parse(`2030-01-01T${text}Z`);

function cronJob(spec: object, last?: string): CronJob {
  return {
    metadata: { name: "c", creationTimestamp: "2030-01-01T00:00:00Z" },
    spec: { schedule: "0 * * * *", ...spec },
    status: last === undefined ? {} : { lastScheduleTime: `2030-01-01T${last}Z` },
  } as unknown as CronJob;
}

function outcome(one: CronJob, time: string, active: readonly Job[] = []): string {
  const action = decide({ cronJob: one, active, now: at(time) });
  const warning = action.warning === undefined ? [] : [action.warning.reason];
  if (action.do === "start") return ["start", clock(action.at), action.replace.length, ...warning].join(" ");
  return [action.until === undefined ? "never" : clock(action.until), ...warning].join(" ");
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}

test("jobs start at their scheduled times", () => {
  const running = {} as Job;
  const often = cronJob({ schedule: "* * * * *", startingDeadlineSeconds: 600 });
  const cases: [string, CronJob, string, readonly Job[], string][] = [
    ["not yet", cronJob({}), "00:30:00", [], "01:00"],
    ["now", cronJob({}), "01:00:01", [], "start 01:00 0"],
    ["once only", cronJob({}, "01:00:00"), "01:30:00", [], "02:00"],
    ["of many missed the last", cronJob({}), "05:10:00", [], "start 05:00 0"],
    ["too late", cronJob({ startingDeadlineSeconds: 60 }), "01:30:00", [], "02:00"],
    ["suspended", cronJob({ suspend: true }), "01:00:01", [], "never"],
    [
      "forbidden beside another",
      cronJob({ concurrencyPolicy: "Forbid" }),
      "01:00:01",
      [running],
      "02:00 JobAlreadyActive",
    ],
    ["in place of another", cronJob({ concurrencyPolicy: "Replace" }), "01:00:01", [running], "start 01:00 1"],
    ["beside another", cronJob({ concurrencyPolicy: "Allow" }), "01:00:01", [running], "start 01:00 0"],
    ["in a time zone", cronJob({ schedule: "0 6 * * *", timeZone: "Asia/Kolkata" }), "00:31:00", [], "start 00:30 0"],
    ["with a question mark", cronJob({ schedule: "*/1 * * * ?" }), "00:01:05", [], "start 00:01 0"],
    ["unreadable", cronJob({ schedule: "often" }), "00:01:05", [], "never UnparseableSchedule"],
    ["hundreds missed", cronJob({ schedule: "* * * * *" }), "23:59:30", [], "start 23:59 0 TooManyMissedTimes"],
    ["many missed, but few since the deadline", often, "23:59:30", [], "start 23:59 0"],
    [
      "uneven distances, counted roughly as kube-controller-manager does",
      cronJob({ schedule: "30 6-16/4 * * *" }),
      "23:00:00",
      [],
      "06:30",
    ],
    ["a delay has not passed", cronJob({ schedule: "@every 1h30m" }), "01:29:59", [], "01:30"],
    ["a delay has passed", cronJob({ schedule: "@every 1h30m" }), "01:30:00", [], "start 01:30 0"],
    ["a delay counts from the last time", cronJob({ schedule: "@every 7m" }, "01:07:00"), "01:10:00", [], "01:14"],
    ["of many delays the last", cronJob({ schedule: "@every 7m" }), "01:10:00", [], "start 01:10 0"],
    ["a delay in a zone", cronJob({ schedule: "TZ=Europe/Rome @every 1m" }), "00:01:30", [], "start 00:01 0"],
    ["an invalid delay", cronJob({ schedule: "@every often" }), "00:01:30", [], "never UnparseableSchedule"],
    ["a day that never comes", cronJob({ schedule: "59 23 31 2 *" }), "00:01:30", [], "never"],
  ];
  for (const [name, one, time, active, expected] of cases) assert.equal(outcome(one, time, active), expected, name);
});
