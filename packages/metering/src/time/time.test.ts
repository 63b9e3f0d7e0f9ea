/** Tests of zones, buckets and periods, with daylight saving. */
import assert from "node:assert/strict";
import test from "node:test";
import { bucketsOf } from "./bucket.ts";
import { formatInstant, parseDuration, parseInstant, parsePeriod, parseTime } from "./instant.ts";
import { zoneOf } from "./zone.ts";

const berlin = zoneOf("Europe/Berlin");

function names(kind: Parameters<typeof bucketsOf>[0], zone: string, [from = "", to = ""]: readonly string[]): string[] {
  const window = { from: parseTime(from, zoneOf(zone)) ?? 0, to: parseTime(to, zoneOf(zone)) ?? 0 };
  return bucketsOf(kind, zoneOf(zone), window).map(({ name, start, end }) => `${name} ${(end - start) / 3_600_000}`);
}

test("both hours of an autumn night have their own names", () => {
  const hours = names("hour", "Europe/Berlin", ["2026-10-24T23:00:00Z", "2026-10-25T02:00:00Z"]);
  assert.deepEqual(hours, ["2026-10-25T01:00+02:00 1", "2026-10-25T02:00+02:00 1", "2026-10-25T02:00+01:00 1"]);
});

test("days are 23 and 25 hours long where clocks change", () => {
  assert.deepEqual(names("day", "Europe/Berlin", ["2026-03-29", "2026-03-30"]), ["2026-03-29 23"]);
  assert.deepEqual(names("day", "Europe/Berlin", ["2026-10-25", "2026-10-26"]), ["2026-10-25 25"]);
  assert.deepEqual(names("month", "America/New_York", ["2026-03-01", "2026-04-01"]), ["2026-03 743"]);
});

test("a day without midnight starts when it starts", () => {
  assert.equal(formatInstant(parseTime("2018-11-04", zoneOf("America/Sao_Paulo")) ?? 0), "2018-11-04T03:00:00.000Z");
  assert.deepEqual(names("day", "America/Sao_Paulo", ["2018-11-04", "2018-11-05"]), ["2018-11-04 23"]);
});

test("weeks are ISO weeks, cut to the window", () => {
  assert.deepEqual(names("week", "UTC", ["2026-01-01", "2026-01-06"]), ["2026-W01 96", "2026-W02 24"]);
  assert.deepEqual(names("week", "UTC", ["2027-01-01", "2027-01-02"]), ["2026-W53 24"]);
});

test("zones with half-hour offsets cut hours at their own hours", () => {
  assert.deepEqual(names("hour", "Asia/Kolkata", ["2026-03-01T00:00:00Z", "2026-03-01T01:00:00Z"]), [
    "2026-03-01T05:00+05:30 0.5",
    "2026-03-01T06:00+05:30 0.5",
  ]);
});

test("instants, durations and periods are read strictly", () => {
  assert.equal(parseInstant("2026-03-01T01:00:00+01:00"), Date.UTC(2026, 2, 1));
  assert.equal(parseInstant("2026-02-30T00:00:00Z"), undefined);
  assert.equal(parseInstant("2026-03-01"), undefined);
  assert.equal(parseDuration("1h30m"), 5_400_000);
  assert.equal(parseDuration("h"), undefined);
  const { from, to } = parsePeriod("2026-W10", berlin);
  assert.deepEqual([from, to].map(formatInstant), ["2026-03-01T23:00:00.000Z", "2026-03-08T23:00:00.000Z"]);
  assert.throws(() => parsePeriod("March", berlin), { code: "BadInput" });
  assert.throws(() => zoneOf("Mars/Base"), { code: "BadInput" });
});

test("the common form of an instant is read as all others are", () => {
  const forms = [
    ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T23:59:60.123Z", "2026-03-02T00:00:00.123Z"],
    ["2026-03-01T00:00:00.07Z", "2026-03-01T00:00:00.070Z"],
    ["2026-03-01T00:00:00.1239Z", "2026-03-01T00:00:00.123Z"],
    ["2026-03-01t01:00:00.5+01:00", "2026-03-01T00:00:00.500Z"],
  ];
  for (const [text = "", wanted] of forms) assert.equal(formatInstant(parseInstant(text) ?? 0), wanted, text);
  const wrong = [
    "2026-02-30T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T00:00:00.1x2Z",
    "2026-03-01T0a:00:00Z",
    "2026-03-01 00:00:00Z",
  ];
  for (const text of wrong) assert.equal(parseInstant(text), undefined, text);
});
