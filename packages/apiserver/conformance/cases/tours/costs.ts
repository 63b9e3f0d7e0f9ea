/** CEL rules that exceed the cost limits, when they are defined and when they run. */
import { defineTopic, post, put, type Step } from "../../case.ts";
import { define, definition, definitions, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const ruled = (rule: string, schema: Part): Part => ({ ...schema, "x-kubernetes-validations": [{ rule }] });
const text = (maxLength?: number): Part => ({ type: "string", ...(maxLength !== undefined && { maxLength }) });
const list = (items: Part, maxItems?: number): Part => ({
  type: "array",
  items,
  ...(maxItems !== undefined && { maxItems }),
});
const mapOf = (values: Part, maxProperties?: number): Part => ({
  type: "object",
  additionalProperties: values,
  ...(maxProperties !== undefined && { maxProperties }),
});
const pairs = "self.all(x, self.all(y, x == y || x != y))";
const triples = "self.all(x, self.all(y, self.all(z, x == y || y != z)))";

const schemas: { readonly [name: string]: Part } = {
  "pairs of anything": ruled(pairs, list(text())),
  "pairs of few": ruled(pairs, list(text(10), 10)),
  "pairs of a thousand": ruled(pairs, list(text(10), 1000)),
  "pairs of ten thousand": ruled(pairs, list(text(10), 10_000)),
  "triples of anything": ruled(triples, list({ type: "integer" })),
  "triples of a hundred": ruled(triples, list({ type: "integer" }, 100)),
  "triples of a thousand": ruled(triples, list({ type: "integer" }, 1000)),
  "texts of any length": list(ruled("self.contains('abc')", text())),
  "texts of some length": list(ruled("self.contains('abc')", text(1000)), 1000),
  "patterns of anything": list(ruled("self.matches('^a+b*c?$')", text())),
  patterns: ruled("self.matches('^(a|b)+$')", text(100)),
  "maps of anything": ruled("self.all(k, self[k].size() > 0)", mapOf(text())),
  "maps of maps": mapOf(ruled("self.all(k, self.exists(l, l != k))", mapOf(text()))),
  "maps of few": ruled("self.all(k, self[k].size() > 0)", mapOf(text(5), 5)),
  "rules below lists": list({ type: "object", properties: { a: ruled("self.size() > 2", text(100)) } }),
  "rules below lists of lists": list(list(ruled("self > 2", { type: "integer" }))),
  sorting: ruled("self.isSorted()", list(text())),
  sums: ruled("self.sum() > 0", list({ type: "integer" })),
  joins: ruled("self.join(',').size() < 10", list(text())),
  replacements: ruled("self.replace('a', 'bb').size() < 10", text()),
  splits: ruled("self.split(',').all(x, x.size() < 3)", text()),
  "two rules": {
    ...list(text(10), 1000),
    "x-kubernetes-validations": [{ rule: pairs }, { rule: "self.all(x, self.exists(y, x == y))" }],
  },
  messages: {
    ...list(text()),
    "x-kubernetes-validations": [
      { rule: "true", messageExpression: "self.map(x, self.map(y, x + y).join(',')).join(';')" },
    ],
  },
  quantities: list(ruled("quantity(self).isGreaterThan(quantity('1'))", text(20)), 10_000),
  addresses: list(ruled("ip(self).family() == 4", text(20)), 10_000),
  "a total": {
    ...list(text(10), 700),
    "x-kubernetes-validations": Array.from({ length: 15 }, () => ({ rule: pairs })),
  },
};

const cases: { [name: string]: Step[] } = {};
for (const [name, x] of Object.entries(schemas)) {
  cases[`defined: ${name}`] = [
    post(`${definitions}?dryRun=All`, definition(specOf({ x })), { only: ["message", "reason", "details", "code"] }),
  ];
}

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);
const trial = (x: unknown): Step =>
  post(`${widgets}?dryRun=All`, widget({ x }), { only: ["message", "reason", "details", "code"] });
cases["run: pairs"] = [
  define(specOf({ x: ruled(pairs, list(text(10), 1000)) })),
  trial(many(10)),
  trial(many(300)),
  trial(many(1000)),
  trial(many(1001)),
];
cases["run: two rules"] = [
  define(
    specOf({
      x: {
        ...list(text(10), 1000),
        "x-kubernetes-validations": [{ rule: pairs }, { rule: "self.size() < 5", message: "few" }],
      },
    }),
  ),
  trial(many(4)),
  trial(many(10)),
  trial(many(900)),
];
cases["run: rules of items"] = [
  define(specOf({ x: list(ruled("self.matches('^[a-z0-9]+$') && self.size() < 8", text(60)), 5000) })),
  trial(many(100)),
  trial([...many(3), "x".repeat(20), "A"]),
];
cases["run: changes"] = [
  define(specOf({ x: ruled("self.all(x, oldSelf.exists(y, y == x))", list(text(10), 1000)) })),
  post(widgets, widget({ x: many(900) }), { quiet: true }),
  put(`${widgets}/w?dryRun=All`, widget({ x: many(800) }), { only: ["message", "reason", "details", "code"] }),
  put(`${widgets}/w?dryRun=All`, widget({ x: ["new"] }), { only: ["message", "reason", "details", "code"] }),
];
cases["run: a budget for all"] = [
  define(
    specOf({
      x: { ...list(text(10), 500), "x-kubernetes-validations": Array.from({ length: 12 }, () => ({ rule: pairs })) },
    }),
  ),
  trial(many(430)),
  trial(many(100)),
];

export const costs = defineTopic("tour-costs", cases);
