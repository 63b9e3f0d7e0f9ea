/** Tests of plots: series with all buckets, sparklines, and a picture that is well-formed. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonReport, JsonRow } from "../engine/run-report.ts";
import { panelsOf, shortNumber } from "./series.ts";
import { sparkline, sparklines } from "./sparkline.ts";
import { scaleOf, toSvg } from "./svg.ts";

function row(day: number, tenant: string, quantity: string): JsonRow {
  const bucket = `2026-03-0${day}`;
  const times = { start: `${bucket}T00:00:00.000Z`, end: `2026-03-0${day + 1}T00:00:00.000Z` };
  return { bucket, ...times, meter: "calls", charge: "usage", dimensions: { tenant }, quantity, unit: "call" };
}

function report(rows: readonly JsonRow[]): JsonReport {
  return {
    from: "2026-03-01T00:00:00.000Z",
    to: "2026-03-05T00:00:00.000Z",
    timeZone: "UTC",
    bucket: "day",
    by: ["tenant"],
    currency: "EUR",
    rows,
    total: {},
    coverage: [],
  };
}

const rows = [row(1, "acme", "10"), row(1, "b&b", "4"), row(3, "acme", "30"), row(4, "b&b", "8.5")];

test("series have a value for each bucket, the largest first", () => {
  const [panel] = panelsOf(report(rows));
  assert.deepEqual(panel?.buckets, ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]);
  assert.deepEqual(panel.series, [
    { name: "acme", values: [10, 0, 30, 0], total: 40 },
    { name: "b&b", values: [4, 0, 0, 8.5], total: 12.5 },
  ]);
});

test("what is beyond the limit is one series that adds up", () => {
  const many = ["a", "b", "c", "d"].map((tenant, at) => row(1, tenant, String(10 - at)));
  const [panel] = panelsOf(report(many), 3);
  assert.deepEqual(
    panel?.series.map(({ name, total }) => [name, total]),
    [
      ["a", 10],
      ["b", 9],
      ["other (2)", 15],
    ],
  );
});

test("a sparkline has a block for each value, and adds neighbours where room is short", () => {
  assert.equal(sparkline([0, 1, 4, 8], 80), " ▁▄█");
  assert.equal(sparkline([1, 1, 2, 2, 0, 0], 3), "▄█ ");
  assert.equal(sparkline([], 80), "");
  assert.equal(
    sparklines(panelsOf(report(rows)), 80),
    "calls (call), 2026-03-01 to 2026-03-04\n  acme  ▃ █   40\n  b&b   ▄  █  12.5\n",
  );
});

test("areas are stacked, and their parts fit the scale", () => {
  const svg = toSvg(panelsOf(report(rows)));
  const areas = [...svg.matchAll(/<polygon points="([^"]+)"/g)].map(([, points = ""]) =>
    points.split(" ").map((point) => point.split(",").map(Number)),
  );
  assert.equal(areas.length, 2);
  const [first = [], second = []] = areas;
  // The ceiling of the first is the floor of the second.
  assert.deepEqual(first.slice(0, first.length / 2), second.slice(second.length / 2).reverse());
  for (const [x = 0, y = 0] of areas.flat()) assert.ok(x >= 76 && x <= 730 && y >= 44 && y <= 260, `${x},${y}`);
  assert.match(svg, /<title>b&amp;b: 12\.5<\/title>/);
  assert.doesNotMatch(svg, /NaN|undefined/);
});

test("a report without rows is a picture that says so", () => {
  assert.match(toSvg(panelsOf(report([]))), /no usage in this window/);
});

test("scales end at a round number above the largest value", () => {
  assert.deepEqual(scaleOf(38).ticks, [0, 10, 20, 30, 40]);
  assert.deepEqual(scaleOf(0).ticks, [0, 1]);
  assert.deepEqual([shortNumber(1_234_567), shortNumber(0.5), shortNumber(2_000)], ["1.23M", "0.5", "2k"]);
});
