/** Tests of exact numbers: decimals, shares, spreads, order. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { divideHalfEven, formatFixed, formatPlain, parseAmount } from "./decimal.ts";
import { compareText } from "./order.ts";
import { share, spread } from "./share.ts";

test("amounts are parsed exactly and rounded half-even to 6 digits", () => {
  const cases: readonly [string, bigint | undefined][] = [
    ["0.25", 250_000n],
    ["1.5e-05", 15n],
    ["250m", 250_000n],
    ["10Gi", 10n * 1024n ** 3n * 1_000_000n],
    ["0.0000005", 0n],
    ["0.0000015", 2n],
    ["0.00000050000001", 1n],
    ["-0.0000025", -2n],
    ["999999999999999999999999", 999_999_999_999_999_999_999_999_000_000n],
    ["1e24", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["", undefined],
    [".", undefined],
    ["1,5", undefined],
    ["1e999999", undefined],
    ["1e-999999", 0n],
  ];
  for (const [text, expected] of cases) assert.equal(parseAmount(text), expected, text);
});

test("numbers are printed plain or with fixed digits", () => {
  assert.equal(formatPlain(86_400_000_000_000n, 9), "86400");
  assert.equal(formatPlain(1000n, 9), "0.000001");
  assert.equal(formatPlain(-1n, 6), "-0.000001");
  assert.equal(formatFixed(758_664n, 6), "0.758664");
  assert.equal(formatFixed(-5n, 2), "-0.05");
  assert.equal(divideHalfEven(-5n, 2n), -2n);
  assert.equal(divideHalfEven(15n, 10n), 2n);
});

test("shares add up, ties go to the smaller key, negatives mirror", () => {
  const receivers = [
    { key: ["b"], weight: 1n },
    { key: ["a"], weight: 1n },
    { key: ["c"], weight: 1n },
  ];
  assert.deepEqual(share(10n, receivers), [3n, 4n, 3n]);
  assert.deepEqual(share(-10n, receivers), [-3n, -4n, -3n]);
  assert.deepEqual(share(10n, []), []);
  assert.deepEqual(share(10n, [{ key: [], weight: 0n }]), [0n]);
  fc.assert(
    fc.property(fc.bigInt(), fc.array(fc.bigInt({ min: 0n }), { minLength: 1 }), (total, weights) => {
      const parts = share(
        total,
        weights.map((weight, at) => ({ key: [String(at)], weight })),
      );
      const sum = parts.reduce((all, part) => all + part, 0n);
      assert.equal(sum, weights.some((weight) => weight > 0n) ? total : 0n);
    }),
    { numRuns: 50 },
  );
});

test("a spread adds up wherever it is cut", () => {
  const whole = { total: 100n, start: 0, end: 7 };
  assert.deepEqual([spread(whole, 0, 3), spread(whole, 3, 7)], [42n, 58n]);
  assert.equal(spread({ ...whole, total: -100n }, 0, 3), -43n);
  assert.equal(spread(whole, -5, 20), 100n);
});

test("text sorts by code point, not by UTF-16 unit", () => {
  const words = ["\u{1F600}", "\uFF5E", "b", "a", "ab"];
  assert.deepEqual(words.toSorted(compareText), ["a", "ab", "b", "\uFF5E", "\u{1F600}"]);
});
