import assert from "node:assert/strict";
import { test } from "node:test";
import { isTimeZone, scheduleProblem } from "./cron-schedule.ts";

test("schedules with five fields and names are accepted", () => {
  for (const schedule of ["* * * * *", "*/5 0-23/2 1,15 jan-DEC mon", "@daily", "@every 1h30m", "? 5/10 * * 0"]) {
    assert.equal(scheduleProblem(schedule), undefined, schedule);
  }
});

test("an invalid schedule fails with the message of robfig/cron", () => {
  const problems = {
    "* * * *": "expected exactly 5 fields, found 4: [* * * *]",
    "60 * * * *": "end of range (60) above maximum (59): 60",
    "* * 0 * *": "beginning of range (0) below minimum (1): 0",
    "5-1 * * * *": "beginning of range (5) beyond end of range (1): 5-1",
    "1-2-3 * * * *": "too many hyphens: 1-2-3",
    "*/5/5 * * * *": "too many slashes: */5/5",
    "*/0 * * * *": "step of range should be a positive number: */0",
    "x * * * *": 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    "@foo": "unrecognized descriptor: @foo",
    "CRON_TZ=Foo * * * * *": "provided bad location Foo: unknown time zone Foo",
  };
  for (const [schedule, problem] of Object.entries(problems)) assert.equal(scheduleProblem(schedule), problem);
});

test("names of time zones are case-sensitive", () => {
  assert.ok(isTimeZone("Europe/Berlin"));
  assert.ok(isTimeZone("US/Eastern"), "an alias");
  assert.ok(!isTimeZone("europe/berlin"));
  assert.ok(!isTimeZone("Foo/Bar"));
});
