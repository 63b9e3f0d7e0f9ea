/** CEL rules of schemas: every CEL library, messages, reasons and failures. */
import { defineTopic } from "../../case.ts";
import { define, specOf, tries, type Part } from "./widget.ts";

type Ruled = readonly [name: string, schema: Part, rules: Part | readonly Part[], values: readonly unknown[]];

const str = { type: "string", maxLength: 100 };
const rule = (text: string, more: Part = {}): Part => ({ rule: text, ...more });

const cel: readonly Ruled[] = [
  ["basic", { type: "integer" }, rule("self > 3"), [1, 4]],
  ["message", { type: "integer" }, rule("self > 3", { message: "too small" }), [1]],
  ["messageExpression", { type: "integer" }, rule("self > 3", { messageExpression: "'got ' + string(self)" }), [1]],
  ["messageExpression empty", { type: "integer" }, rule("self > 3", { message: "m", messageExpression: "''" }), [1]],
  [
    "messageExpression newline",
    { type: "integer" },
    rule("self > 3", { message: "m", messageExpression: "'a\\nb'" }),
    [1],
  ],
  [
    "messageExpression error",
    { type: "integer" },
    rule("self > 3", { message: "m", messageExpression: "string(1/(self-1))" }),
    [1],
  ],
  ["reason", { type: "integer" }, rule("self > 3", { reason: "FieldValueForbidden" }), [1]],
  ["reason required", { type: "integer" }, rule("self > 3", { reason: "FieldValueRequired" }), [1]],
  ["reason duplicate", { type: "integer" }, rule("self > 3", { reason: "FieldValueDuplicate" }), [1]],
  [
    "fieldPath",
    {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "object", properties: { c: { type: "integer" } } } },
    },
    rule("self.a > 3", { fieldPath: ".b.c" }),
    [{ a: 1 }],
  ],
  [
    "fieldPath key",
    {
      type: "object",
      properties: { a: { type: "integer" }, m: { type: "object", additionalProperties: { type: "string" } } },
    },
    rule("self.a > 3", { fieldPath: ".m['x']" }),
    [{ a: 1 }],
  ],
  ["two rules", { type: "integer" }, [rule("self > 3"), rule("self > 4")], [1, 4]],
  ["runtime error", { type: "integer" }, rule("10 / self > 1"), [0, 5]],
  ["no such key", { type: "object", properties: { a: { type: "string" } } }, rule("self.a == 'x'"), [{}]],
  ["has", { type: "object", properties: { a: { type: "string" } } }, rule("has(self.a)"), [{}, { a: "x" }]],
  ["size", str, rule("size(self) > 2"), ["a", "abc"]],
  [
    "string ext",
    str,
    rule(
      "self.lowerAscii() == 'abc' && self.indexOf('b') == 1 && self.split('b').size() == 2 && self.replace('a','x') != '' && self.substring(1) != ''",
    ),
    ["ABC", "x"],
  ],
  ["trim", str, rule("self.trim() == self"), [" a", "a"]],
  ["format", str, rule("'%s-%d'.format([self, 1]) == 'a-1'"), ["a", "b"]],
  ["quote", str, rule("strings.quote(self) == '\"a\"'"), ["a", "b"]],
  ["matches", str, rule("self.matches('^[a-z]+$')"), ["a", "A"]],
  ["find", str, rule("self.find('[0-9]+') == '12' && self.findAll('[0-9]').size() == 2"), ["a12", "b"]],
  [
    "url",
    str,
    rule("isURL(self) && url(self).getHost() == 'a.b:80' && url(self).getQuery()['q'][0] == '1'"),
    ["http://a.b:80/p?q=1", "x", "http://a.b/"],
  ],
  ["url error", str, rule("url(self).getHost() == ''"), ["x y", "::"]],
  ["ip", str, rule("isIP(self) && ip(self).family() == 4 && ip(self).isLoopback()"), ["127.0.0.1", "::1", "x"]],
  ["ip error", str, rule("ip(self).family() == 4"), ["x"]],
  [
    "cidr",
    str,
    rule("isCIDR(self) && cidr(self).containsIP('10.0.0.1') && cidr(self).prefixLength() == 8"),
    ["10.0.0.0/8", "x"],
  ],
  ["cidr error", str, rule("cidr(self).prefixLength() == 8"), ["x"]],
  ["quantity", str, rule("isQuantity(self) && quantity(self).isGreaterThan(quantity('1Gi'))"), ["2Gi", "1Mi", "x"]],
  ["quantity error", str, rule("quantity(self).sign() == 1"), ["x"]],
  [
    "quantity math",
    str,
    rule("quantity(self).add(5).compareTo(quantity('10')) == 0 && quantity(self).asInteger() == 5"),
    ["5", "6"],
  ],
  ["semver", str, rule("isSemver(self) && semver(self).major() == 1"), ["1.2.3", "2.0.0", "x"]],
  ["semver error", str, rule("semver(self).major() == 1"), ["x", "1.2"]],
  ["named format", str, rule("!format.dns1123Label().validate(self).hasValue()"), ["a-b", "A"]],
  [
    "named format value",
    str,
    rule("format.named('dns1123Subdomain').value().validate(self) == optional.none()"),
    ["a.b", "A"],
  ],
  ["duration", str, rule("duration(self) > duration('1m')"), ["2m", "1s", "x"]],
  [
    "timestamp",
    str,
    rule("timestamp(self).getFullYear() == 2020"),
    ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "x"],
  ],
  ["duration typed", { type: "string", format: "duration" }, rule("self < duration('1h')"), ["1m", "2h"]],
  [
    "date-time typed",
    { type: "string", format: "date-time" },
    rule("self < timestamp('2020-01-01T00:00:00Z')"),
    ["2019-01-01T00:00:00Z", "2021-01-01T00:00:00Z"],
  ],
  [
    "list all",
    { type: "array", maxItems: 10, items: { type: "integer" } },
    rule("self.all(x, x > 0)"),
    [
      [1, 2],
      [1, -1],
    ],
  ],
  [
    "list exists_one",
    { type: "array", maxItems: 10, items: { type: "integer" } },
    rule("self.exists_one(x, x > 0) && self.map(x, x * 2).size() == 2 && self.filter(x, x > 0).size() == 1"),
    [
      [1, -2],
      [1, 1],
    ],
  ],
  [
    "list sum",
    { type: "array", maxItems: 10, items: { type: "integer" } },
    rule("self.sum() > 3 && self.isSorted() && self.max() == 3 && self.min() == 1 && self.indexOf(1) == 0"),
    [[1, 3], [3, 1], []],
  ],
  ["list min empty", { type: "array", maxItems: 10, items: { type: "integer" } }, rule("self.min() > 3"), [[]]],
  [
    "sets",
    { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
    rule("sets.contains(self, ['a']) && sets.equivalent(self, ['a','b'])"),
    [["a", "b"], ["a"]],
  ],
  [
    "lists ext",
    { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } },
    rule(
      "self.distinct().size() == size(self) && self.reverse()[0] == 'b' && self.slice(0,1)[0] == 'a' && lists.range(2).size() == 2 && self.sort() == self",
    ),
    [
      ["a", "b"],
      ["a", "a"],
    ],
  ],
  ["index out of range", { type: "array", maxItems: 10, items: { type: "integer" } }, rule("self[5] == 1"), [[1]]],
  [
    "map keys",
    { type: "object", maxProperties: 5, additionalProperties: { type: "integer" } },
    rule("self.all(k, self[k] > 0 && k.startsWith('a'))"),
    [{ a: 1 }, { b: 1 }, { a: 0 }],
  ],
  [
    "two var",
    { type: "object", maxProperties: 5, additionalProperties: { type: "integer" } },
    rule("self.all(k, v, v > 0) && self.transformList(k, v, v).size() == 1"),
    [{ a: 1 }, { a: 0 }],
  ],
  ["in", { type: "string", maxLength: 10 }, rule("self in ['a','b']"), ["a", "c"]],
  ["ternary", { type: "integer" }, rule("self > 0 ? self < 10 : self == -1"), [5, -1, -2, 11]],
  ["bind", { type: "integer" }, rule("cel.bind(y, self * 2, y > 4)"), [1, 3]],
  [
    "optional",
    { type: "object", properties: { a: { type: "string" } } },
    rule("self.?a.orValue('x') == 'x'"),
    [{}, { a: "y" }],
  ],
  [
    "optional map",
    { type: "object", properties: { a: { type: "string", maxLength: 5 } } },
    rule("self.?a.optMap(v, v == 'y').orValue(false)"),
    [{}, { a: "y" }],
  ],
  [
    "math",
    { type: "number" },
    rule(
      "math.ceil(self) == 2.0 && math.greatest(self, 1.0) == self && math.isFinite(self) && math.abs(-1) == 1 && math.sign(self) == 1.0",
    ),
    [1.5, 2.5],
  ],
  ["bits", { type: "integer" }, rule("math.bitAnd(self, 1) == 1 && math.sqrt(4) == 2.0"), [1, 2]],
  [
    "int or string rule",
    { "x-kubernetes-int-or-string": true, maxLength: 5 },
    rule("type(self) == int ? self > 1 : self.endsWith('%')"),
    [2, 1, "5%", "x"],
  ],
  [
    "type conv",
    { type: "integer" },
    rule("double(self) > 1.5 && string(self) == '2' && uint(self) == 2u && int('2') == self"),
    [2, 3],
  ],
  ["overflow", { type: "integer" }, rule("self + 9223372036854775807 > 0"), [1, 0]],
  ["base64", str, rule("base64.encode(b'a') == self"), ["YQ==", "x"]],
  ["bytes typed", { type: "string", format: "byte", maxLength: 20 }, rule("self == b'a'"), ["YQ==", "Yg=="]],
  ["jsonpatch absent", str, rule("jsonpatch.escapeKey(self) == ''"), ["a"]],
  ["authorizer absent", str, rule("authorizer.path('/').check('get').allowed()"), ["a"]],
  ["unicode", str, rule("self.size() == 2"), ["日本", "a"]],
  [
    "escaped names",
    {
      type: "object",
      properties: {
        "a-b": { type: "integer" },
        namespace: { type: "string" },
        __x: { type: "string" },
        "c.d": { type: "string" },
        "1a": { type: "string" },
      },
    },
    rule("self.a__dash__b > 0 && self.__namespace__ == 'x' && self.c__dot__d == 'y'"),
    [
      { "a-b": 1, namespace: "x", "c.d": "y" },
      { "a-b": 0, namespace: "x", "c.d": "y" },
    ],
  ],
  ["multiline", { type: "integer" }, rule("self >\n 3"), [1]],
];

export const customRules = defineTopic(
  "custom-rules",
  Object.fromEntries(
    cel.map(([name, schema, rules, values]) => {
      const ruled = { ...schema, "x-kubernetes-validations": [rules].flat() };
      return [name, [define(specOf({ x: ruled })), ...tries(values)]];
    }),
  ),
);
