import assert from "node:assert/strict";
import { test } from "node:test";
import { ceilings, formatLimit, judge, unmeasured } from "./ceilings.ts";
import { bendName, bendOf, growths, rowsOf } from "./growth.ts";
import { reasoned, reasonFor } from "./page/reasons.ts";
import { bars, curves, formatFigure } from "./page/svg.ts";
import { sourceOf } from "./page.ts";
import { table } from "./page/tables.ts";
import { median, quantile, type Row } from "./result.ts";

const row = (figures: Row["figures"], name = "burst, CPU per object"): Row => ({
  suite: "runtime",
  name,
  unit: "ms",
  figures,
});

test("a promise is judged by medians of the same run", () => {
  const [kept] = judge([row({ capstan: [0.7, 9, 0.74], "controller-runtime": [1, 1.1, 0.9] })]);
  assert.equal(kept?.holds, true);
  const [broken] = judge([row({ capstan: [0.8], "controller-runtime": [1] })]);
  assert.equal(broken?.holds, false);
  assert.equal(broken?.bound, 0.75);
  assert.deepEqual(judge([row({ capstan: [0.8] })]), [], "without the peer there is nothing to compare with");
  assert.deepEqual(judge([row({ capstan: [1] }, "something else")]), []);
});

test("a promise without a measurement or without its peer is named", () => {
  assert.deepEqual(unmeasured([]), Object.keys(ceilings));
  assert.deepEqual(unmeasured([], ["cache"]), ["cache/memory per 1 KB ConfigMap"]);
  const alone = { ...row({ capstan: [1] }, "memory per 1 KB ConfigMap"), suite: "cache" };
  assert.deepEqual(unmeasured([alone], ["cache"]), ["cache/memory per 1 KB ConfigMap"]);
  const compared = { ...alone, figures: { capstan: [1], "controller-runtime": [2] } };
  assert.deepEqual(unmeasured([compared], ["cache"]), []);
});

test("a chapter names its commit and the contenders that did not take part", () => {
  const chapter = { contenders: ["capstan", "kube-rs"] };
  assert.equal(sourceOf(chapter, [row({ capstan: [1], "kube-rs": [2] })], "abc"), "Measured at commit abc.");
  assert.match(sourceOf(chapter, [row({ capstan: [1] })], undefined), /unknown\. \*\*Did not .*: kube-rs\.\*\*$/u);
});

test("a reason uses other rows of the same results, and is left out without them", () => {
  for (const promise of reasoned) assert.ok(promise in ceilings, promise);
  const broken = { ...row({ capstan: [100], "bare node:http2": [150] }, "small request, CPU"), suite: "client" };
  const [verdict] = judge([broken]);
  assert.ok(verdict);
  assert.match(reasonFor(verdict, [broken]) ?? "", /needs 150 us \(1\.5 x\)/);
  assert.equal(reasonFor(verdict, []), undefined);
});

test("a promise that held in some rounds is reported as noise", () => {
  const wavering = row({ capstan: [0.7, 0.9, 1], "controller-runtime": [1] });
  const [verdict] = judge([wavering]);
  assert.ok(verdict);
  assert.equal(
    reasonFor(verdict, [wavering]),
    "the rounds differ: the best of 3, 0.7, would keep it, the median does not",
  );
});

test("growth is linear when the last objects cost the same as those before", () => {
  const line = [1000, 5000, 20_000, 50_000].map((x) => [x, 3 + x / 1000] as const);
  assert.equal(bendOf(line)?.toFixed(6), "1.000000");
  const square = [1000, 5000, 20_000, 50_000].map((x) => [x, x * x] as const);
  assert.ok((bendOf(square) ?? 0) > 3);
  assert.equal(bendOf(line.slice(0, 2)), undefined, "two points are always on a line");
  const verdictOf = (points: readonly (readonly [number, number])[]): boolean | undefined =>
    judge(rowsOf({ rows: [], growth: [{ ...growths.cpu, points: { capstan: points } }] }))[0]?.holds;
  assert.equal(verdictOf(line), true);
  assert.equal(verdictOf(square), false);
  assert.equal(verdictOf(line.slice(0, 2)), undefined);
  assert.ok(unmeasured([], ["scale"]).includes(`scale/${bendName(growths.cpu.name)}`));
});

test("the table shows medians, extremes and broken promises", () => {
  const text = table([row({ capstan: [0.8, 0.9, 0.85], "controller-runtime": [1] })]);
  assert.match(
    text,
    /\| burst, CPU per object, ms \| 0\.85 \(0\.8–0\.9\) \| 1 \| ≤ 0\.75 x controller-runtime \| \*\*no\*\* \(0\.85 x\) \|/,
  );
});

test("plots are whole SVG documents with a mark for every figure", () => {
  const svg = bars(row({ capstan: [1], "a < b": [2] }));
  assert.equal(svg.match(/<rect x="176"/g)?.length, 2);
  assert.match(svg, /a &lt; b/);
  const lines = curves({
    name: "CPU",
    unit: "s",
    points: {
      capstan: [
        [1000, 1],
        [5000, 5],
      ],
    },
  });
  assert.equal(lines.match(/<circle/g)?.length, 2);
  assert.match(lines, /^<svg[^]*<\/svg>\n$/);
});

test("medians and quantiles are figures that were measured", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2);
  assert.equal(
    quantile(
      Array.from({ length: 100 }, (_, at) => at + 1),
      0.99,
    ),
    99,
  );
  assert.equal(formatFigure(1234.5), "1,235");
  assert.equal(formatFigure(0.12345), "0.123");
  assert.equal(formatLimit({ atLeast: 1_000_000 }), "≥ 1,000,000");
});
