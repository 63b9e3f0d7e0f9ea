import assert from "node:assert/strict";
import { test } from "node:test";
import { openingAt, parseWindows, type Window } from "./window.ts";

function read(text: string): readonly [Window, ...Window[]] {
  const [first, ...others] = parseWindows(text) ?? [];
  assert.ok(first, `${text} is a window`);
  return [first, ...others];
}

/** `open until TIME`, or `opens at TIME`. */
function seen(text: string, now: string): string {
  const opening = openingAt(read(text), Date.parse(now));
  const time = (at: number): string => new Date(at).toISOString().slice(0, 16);
  return opening.isOpen ? `open until ${time(opening.until)}` : `opens at ${time(opening.next)}`;
}

test("a window has days, times and a time zone", () => {
  // 5 January 2030 is a Saturday; Berlin is one hour ahead of UTC in winter.
  assert.equal(seen("Sat-Sun 02:00-06:00 Europe/Berlin", "2030-01-04T12:00:00Z"), "opens at 2030-01-05T01:00");
  assert.equal(seen("Sat-Sun 02:00-06:00 Europe/Berlin", "2030-01-05T01:00:00Z"), "open until 2030-01-05T05:00");
  assert.equal(seen("Sat-Sun 02:00-06:00 Europe/Berlin", "2030-01-05T05:00:00Z"), "opens at 2030-01-06T01:00");
  assert.equal(seen("Sat-Sun 02:00-06:00 Europe/Berlin", "2030-01-06T05:00:00Z"), "opens at 2030-01-12T01:00");
  assert.equal(seen("02:00-06:00", "2030-01-06T03:00:00Z"), "open until 2030-01-06T06:00");
});

test("a window may end on the next day, and the longest open one counts", () => {
  assert.equal(seen("Fri 22:00-04:00", "2030-01-05T03:00:00Z"), "open until 2030-01-05T04:00");
  assert.equal(seen("Sun 22:00-04:00", "2030-01-07T03:59:00Z"), "open until 2030-01-07T04:00");
  assert.equal(seen("00:00-24:00", "2030-01-05T03:00:00Z"), "open until 2030-01-06T00:00");
  assert.equal(seen("Mon 10:00-11:00; Sat,Sun 01:00-05:00", "2030-01-05T03:00:00Z"), "open until 2030-01-05T05:00");
  assert.equal(seen("Mon 10:00-11:00; Wed 01:00-05:00", "2030-01-05T03:00:00Z"), "opens at 2030-01-07T10:00");
  assert.equal(seen("Sat-Mon 01:00-02:00", "2030-01-07T01:30:00Z"), "open until 2030-01-07T02:00");
});

test("a change of the clocks moves the window with the local time", () => {
  // Berlin changes to summer time on 31 March 2030 at 01:00 UTC.
  assert.equal(seen("Sat-Sun 04:00-06:00 Europe/Berlin", "2030-03-30T12:00:00Z"), "opens at 2030-03-31T02:00");
  assert.equal(seen("Sat-Sun 04:00-06:00 Europe/Berlin", "2030-03-29T12:00:00Z"), "opens at 2030-03-30T03:00");
  assert.equal(seen("Sun 02:30-05:00 Europe/Berlin", "2030-03-30T12:00:00Z"), "opens at 2030-03-31T01:30");
});

test("what is no window is refused", () => {
  for (const text of [
    "",
    "Sat",
    "Sat 2-6",
    "Foo 02:00-06:00",
    "02:00-06:00 Nowhere/Atall",
    "25:00-26:00",
    "Sat 02:61-03:00",
  ])
    assert.equal(parseWindows(text), undefined, text);
});
