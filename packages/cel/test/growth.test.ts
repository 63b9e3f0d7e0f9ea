/** The time of every function grows no faster than its input, or the work limit ends it. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BINDINGS,
  CelError,
  createEnv,
  DYN,
  ENCODERS,
  fromJson,
  kubernetesOptions,
  STRING,
  stringsLibrary,
} from "@capstan/cel";
import type { CelResult, Json } from "@capstan/cel";
import { growthOf } from "./growth.ts";

const options = kubernetesOptions();
const env = createEnv({
  ...options,
  libraries: [...options.libraries, BINDINGS, ENCODERS, stringsLibrary(3)],
  variables: { x: STRING, y: STRING, l: DYN, m: DYN },
});

/** The variables of an expression, by the size of the input. */
type Make = (size: number) => { readonly x?: string; readonly y?: string; readonly l?: Json; readonly m?: Json };

const digits: Make = (size) => ({ x: "1".repeat(size) });
const words = (size: number): Json => Array.from({ length: size }, (_, index) => `word-${index}`);
const objects = (size: number): Json =>
  Array.from({ length: size }, (_, index) => ({ name: `n${index}`, at: [index] }));
const letters: Make = (size) => ({ x: "aB".repeat(size / 2) });
const emoji: Make = (size) => ({ x: "a😀".repeat(size / 2), y: "😀" });
const longPart: Make = (size) => ({ x: "a".repeat(size), y: `b${"a".repeat(size / 2)}` });
const longTail: Make = (size) => ({ x: "a".repeat(size), y: `${"a".repeat(size / 2)}b` });
const list: Make = (size) => ({ l: words(size), m: words(size) });

/** Each expression with inputs that are hostile to a careless implementation of it. */
const STRINGS: readonly (readonly [string, ...Make[]])[] = [
  ["x.matches('(a|aa){1000}$')", (size) => ({ x: "a".repeat(size) })],
  ["x.matches('^(a+)+$')", (size) => ({ x: `${"a".repeat(size)}!` })],
  ["x.matches(y)", (size) => ({ x: "ab".repeat(size / 2), y: `(${"a?".repeat(Math.min(size / 40, 2000))})` })],
  ["x.find('(x+x+)+y')", (size) => ({ x: "x".repeat(size) })],
  ["x.findAll('(?:.*b)|a')", (size) => ({ x: "a".repeat(size) })],
  ["x.findAll('[a-z]+')", (size) => ({ x: "ab ".repeat(size / 3) })],
  ["double(x)", digits, (size) => ({ x: `${"1".repeat(size)}x` }), (size) => ({ x: `0x${"a".repeat(size)}g` })],
  ["double(x)", (size) => ({ x: "1_1".repeat(size / 3) }), (size) => ({ x: `1.${"1".repeat(size)}e` })],
  ["int(x)", digits, (size) => ({ x: "0".repeat(size) }), (size) => ({ x: `-${"9".repeat(size)}x` })],
  ["uint(x)", digits],
  ["bool(x)", letters],
  ["bytes(x)", letters, emoji],
  ["string(bytes(x))", letters, emoji],
  ["duration(x)", (size) => ({ x: `${"1".repeat(size)}h` }), (size) => ({ x: `0.${"1".repeat(size)}` })],
  ["duration(x)", (size) => ({ x: "0h".repeat(size / 2) }), (size) => ({ x: `${"1".repeat(size)}x` })],
  ["timestamp(x)", (size) => ({ x: `2024-01-01T00:00:00.${"1".repeat(size)}Z` }), digits],
  ["quantity(x)", digits, (size) => ({ x: `0.${"1".repeat(size)}` }), (size) => ({ x: `1e${"1".repeat(size)}` })],
  ["isQuantity(x)", digits, (size) => ({ x: `${"1".repeat(size)}x` }), (size) => ({ x: `1.${"1".repeat(size)}x` })],
  ["quantity(x).compareTo(quantity('1')) > 0 && quantity(x).isInteger()", digits],
  ["isSemver(x)", (size) => ({ x: `1.2.${"3".repeat(size)}` }), (size) => ({ x: `1.2.3-${"a.".repeat(size / 2)}` })],
  ["isURL(x)", (size) => ({ x: `http://${"a".repeat(size)}` }), (size) => ({ x: `/${"%41".repeat(size / 3)}` })],
  ["url(x).getQuery().size()", (size) => ({ x: `/?${"a=b&".repeat(size / 4)}` })],
  ["url(x).getEscapedPath()", (size) => ({ x: `/${"é ".repeat(size / 2)}` })],
  ["isIP(x)", (size) => ({ x: "1.".repeat(size / 2) }), (size) => ({ x: "1:".repeat(size / 2) }), digits],
  ["isCIDR(x)", (size) => ({ x: `1.2.3.4/${"1".repeat(size)}` }), (size) => ({ x: `::${"1".repeat(size)}/1` })],
  ["base64.encode(bytes(x))", letters],
  ["base64.decode(x)", letters],
  ["x.replace(y, 'zz')", emoji, longPart, longTail, (size) => ({ x: "a".repeat(size), y: "a" })],
  ["x.replace('a', x)", (size) => ({ x: "a".repeat(size) })],
  ["x.split(y)", emoji, longPart, longTail, (size) => ({ x: "a".repeat(size), y: "" })],
  ["x.contains(y)", emoji, longPart, longTail],
  ["x.indexOf(y)", emoji, longPart, longTail],
  ["x.lastIndexOf(y)", emoji, longPart, longTail],
  ["x.startsWith(y) || x.endsWith(y)", longPart, longTail],
  ["x.substring(size(x) / 2) + x.charAt(size(x) - 1)", letters, emoji],
  ["x.lowerAscii() + x.upperAscii()", letters, emoji],
  ["x.trim()", (size) => ({ x: `a${" ".repeat(size)}a` }), (size) => ({ x: " ".repeat(size) })],
  ["x.reverse() + strings.quote(x)", letters, emoji],
  ["'%s %x %s'.format([x, x, l])", (size) => ({ x: "a\n".repeat(size / 8), l: words(size / 8) })],
  ["'%.20000f'.format([1.5])", () => ({})],
  ["'%.9000000f %.9000000e'.format([1.5, 1.5])", () => ({})],
  ["'%.99999999999f'.format([1.5])", () => ({})],
  ["x == y || x < y", (size) => ({ x: `${"a".repeat(size)}b`, y: `${"a".repeat(size)}c` })],
  ["size(x) > 0", letters, emoji],
  ["format.dns1123Subdomain().validate(x).hasValue()", (size) => ({ x: "a-".repeat(size / 2) })],
  ["format.labelValue().validate(x).hasValue()", (size) => ({ x: "a-".repeat(size / 2) })],
  ["format.qualifiedName().validate(x).hasValue()", (size) => ({ x: "a-/".repeat(size / 3) })],
  ["format.uri().validate(x).hasValue()", (size) => ({ x: `/${"a%".repeat(size / 2)}` })],
  ["format.byte().validate(x).hasValue()", (size) => ({ x: `${"a".repeat(size)}!` })],
  ["format.datetime().validate(x).hasValue()", (size) => ({ x: `2024-01-01T00:00:00.${"1".repeat(size)}` })],
];

const LISTS: readonly (readonly [string, ...Make[]])[] = [
  ["l.sort()", list],
  ["l.sortBy(i, i)", list],
  ["l.distinct()", list, (size) => ({ l: objects(size) })],
  ["[l, l].flatten()", list],
  ["sets.contains(l, m)", list, (size) => ({ l: objects(size), m: objects(size) })],
  ["sets.equivalent(l, m)", list],
  ["sets.intersects(l, m.map(i, i + 'x'))", list],
  ["l.indexOf('none') + l.lastIndexOf('none')", list],
  ["l.max() > l.min() && l.isSorted()", list],
  ["l.map(i, size(i)).sum()", list],
  ["l.reverse().slice(0, 2).join()", list],
  ["l.join(', ')", list],
  ["l + m", list],
  ["l == m", list, (size) => ({ l: objects(size), m: objects(size) })],
  ["'none' in l", list],
  ["l.all(i, i in m)", list],
  ["l.filter(i, i != '').exists_one(i, i == 'word-1')", list],
  ["l.map(i, i).map(i, optional.of(i)).all(i, i.hasValue())", list],
  ["lists.range(l.size()).map(i, string(i)).join().size()", list],
];

function growing(source: string, make: Make, size: number): number {
  const compiled = env.compile(source);
  assert.ok(compiled.ok, compiled.ok ? "" : compiled.message);
  const growth = growthOf({
    name: source,
    size,
    make: (length) => {
      const values: [string, CelResult][] = Object.entries({ x: "", y: "", ...make(length) }).map(([name, value]) => [
        name,
        typeof value === "string" ? value : fromJson(value, undefined),
      ]);
      return new Map(values);
    },
    run: (variables) => compiled.expression.evaluate(variables, { costLimit: Number.POSITIVE_INFINITY }),
  });
  return growth;
}

describe("growth", () => {
  for (const [sources, size] of [
    [STRINGS, 20_000],
    [LISTS, 2000],
  ] as const) {
    for (const [source, ...makes] of sources) {
      it(`of ${source}`, () => {
        for (const make of makes) assert.ok(growing(source, make, size) <= 10, source);
      });
    }
  }

  it("ends at the work limit, with the message of the cost limit", () => {
    const hostile = [
      "x.matches('(a|b)*a(a|b){900}c')",
      "x.findAll('(?:.*b)|a').size() > 0",
      "lists.range(100000).all(i, size(x) > 0)",
      "cel.bind(a, [x, x], cel.bind(b, [a, a, a, a, a, a, a, a], cel.bind(c, [b, b, b, b, b, b, b, b], '%s'.format([[c, c, c, c, c, c, c, c]]) == '')))",
      "x.replace('a', x + x).size() > 0",
      "lists.range(2000).map(i, x).join() == ''",
      "lists.range(200000).all(i, timestamp('2024-01-01T00:00:00Z').getHours('America/New_York') >= 0)",
    ];
    let seed = 1;
    const random = (): boolean => (seed = (seed * 48_271) % 2_147_483_647) % 2 === 0;
    const x = Array.from({ length: 40_000 }, () => (random() ? "a" : "b")).join("");
    for (const source of hostile) {
      const compiled = env.compile(source);
      assert.ok(compiled.ok, compiled.ok ? "" : compiled.message);
      const value = source.includes("findAll") ? "a".repeat(40_000) : x;
      const { result, work } = compiled.expression.evaluateWithCost(new Map([["x", value]]));
      assert.ok(result instanceof CelError, source);
      assert.equal(result.message, "operation cancelled: actual cost limit exceeded", source);
      assert.ok(work > 0);
    }
  });
});
