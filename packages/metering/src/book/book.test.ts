/** Tests of books: what is refused, with its place and a suggestion. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseBook } from "./parse-book.ts";

const meters = "meters: [{ name: calls, type: event, unit: call }, { name: disk, type: level, unit: B }]\n";

test("a book has defaults", () => {
  const book = parseBook(meters);
  assert.equal(book.currency, "USD");
  assert.equal(book.timeZone, "UTC");
  assert.equal(book.ratingPeriod, "month");
  assert.equal(parseBook("currency: JPY").currencyDigits, 0);
  assert.equal(parseBook("currency: KWD").currencyDigits, 3);
});

test("a book with a mistake is refused with line, place and suggestion", () => {
  const cases: readonly [string, RegExp][] = [
    ["curency: EUR", /line 1: curency: unknown field "curency"; did you mean currency\?/],
    ["currency: EURO", /currency: "EURO" is not a currency/],
    ["timeZone: Berlin/Europe", /timeZone: .* is not a time zone/],
    [`${meters}prices: [{ meter: cals, amount: "1", per: call }]`, /line 2: prices\[0\].meter: .*did you mean calls/],
    [`${meters}prices: [{ meter: calls, amount: "1", per: call-hour }]`, /prices\[0\].per: .* has a time/],
    [`${meters}prices: [{ meter: disk, amount: "1", per: GiB }]`, /needs a time; write "B-hour"/],
    [`${meters}prices: [{ meter: disk, amount: "1x", per: GiB-month }]`, /amount: must be a decimal/],
    [
      `${meters}prices: [{ meter: calls, amount: "1", per: call, when: { a: x } }, { meter: calls, amount: "2", per: call, when: { b: y } }]`,
      /prices\[1\]: prices\[0\] has as many keys/,
    ],
    [
      `${meters}prices: [{ meter: calls, per: call, tiers: volume, from: 2026-03-02, steps: [{ amount: "1" }] }]`,
      /must begin where a month begins/,
    ],
    [
      "meters: [{ name: a, type: level, unit: x, objects: { apiVersion: v1, kind: A, value: 'object.(' } }]",
      /objects.value/,
    ],
    ["meters: [{ name: A, type: level, unit: x }]", /small letters/],
    ["meters: [{ name: a, type: gauge, unit: x }]", /type: cannot be "gauge"/],
  ];
  for (const [text, message] of cases) assert.throws(() => parseBook(text), { code: "BadBook", message }, text);
});

test("prices of different conditions that no record shares may stand together", () => {
  const book = parseBook(
    `${meters}prices: [{ meter: calls, amount: "1", per: call, when: { a: x } }, { meter: calls, amount: "2", per: "1000 call", when: { a: y } }]`,
  );
  assert.equal(book.prices.length, 2);
});

test("a number with more digits than a float has keeps them", () => {
  const book = parseBook(`${meters}prices: [{ meter: calls, amount: 0.12345678901234567891, per: call }]`);
  assert.equal(book.prices[0]?.steps[0]?.amountText, "0.12345678901234567891");
});
