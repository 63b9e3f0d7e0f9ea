/** The cases that the oracle answers, by file of vectors. Printed as JSON: `node cases.ts <file>`. */

/** How a case writes a type: a name, or an object with list, map or object; `max` is the most elements. */
export type CaseType =
  | string
  | { readonly type: string; readonly max?: number }
  | { readonly list: CaseType; readonly max?: number }
  | { readonly map: CaseType; readonly max?: number }
  | { readonly object: string; readonly fields: Readonly<Record<string, CaseType>> };

export interface Case {
  readonly expr: string;
  readonly version?: string;
  readonly with?: readonly string[];
  readonly types?: Readonly<Record<string, CaseType>>;
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly limit?: number;
}

const SELF: CaseType = {
  object: "Self",
  fields: {
    name: { type: "string", max: 63 },
    unbounded: "string",
    replicas: "int",
    ratio: "double",
    enabled: "bool",
    count: "uint",
    timeout: "duration",
    created: "timestamp",
    data: { type: "bytes", max: 100 },
    tags: { list: { type: "string", max: 20 }, max: 10 },
    ports: { list: "int", max: 5 },
    free: { list: "string" },
    labels: { map: { type: "string", max: 30 }, max: 8 },
    open: { map: "string" },
    nested: { object: "Self.nested", fields: { kind: { type: "string", max: 5 }, deep: { object: "Self.nested.deep", fields: { x: "int" } } } },
    items: { list: { object: "Self.items.@idx", fields: { key: { type: "string", max: 10 }, value: "int", flags: { list: "bool", max: 3 } } }, max: 4 },
    matrix: { list: { list: "int", max: 3 }, max: 3 },
    any: "dyn",
    __namespace__: "string",
    a__dash__b: "string",
    missing: "string",
    missingMap: { map: "string", max: 3 },
  },
};

const VALUE = {
  name: "web-1",
  unbounded: "hello world",
  replicas: 3,
  ratio: 0.5,
  enabled: true,
  count: 7,
  timeout: "90s",
  created: "2024-02-29T12:30:45Z",
  data: "aGVsbG8=",
  tags: ["a", "bb", "ccc"],
  ports: [80, 443, 8080],
  free: ["x", "y"],
  labels: { app: "web", tier: "front" },
  open: { k: "v" },
  nested: { kind: "pod", deep: { x: 42 } },
  items: [
    { key: "one", value: 1, flags: [true, false] },
    { key: "two", value: 2, flags: [] },
  ],
  matrix: [
    [1, 2, 3],
    [4, 5, 6],
  ],
  any: { a: [1, "b", null, 2.5], b: { c: true } },
  __namespace__: "default",
  a__dash__b: "dashed",
};

function onSelf(...exprs: string[]): Case[] {
  return exprs.map((expr) => ({ expr, types: { self: SELF, oldSelf: SELF }, vars: { self: VALUE, oldSelf: { ...VALUE, replicas: 2 } } }));
}

function plain(...exprs: string[]): Case[] {
  return exprs.map((expr) => ({ expr }));
}

function withLibrary(library: string, ...exprs: string[]): Case[] {
  return exprs.map((expr) => ({ expr, with: [library] }));
}

function atVersion(version: string, ...exprs: string[]): Case[] {
  return exprs.map((expr) => ({ expr, version }));
}

const core: Case[] = [
  ...plain(
    "1 + 2", "1 - 2", "2 * 3", "7 / 2", "-7 / 2", "7 % 3", "-7 % 3", "1.5 + 2.5", "1.0 / 3.0", "10u - 3u", "1u - 2u", "5u / 2u", "5u % 2u",
    "9223372036854775807 + 1", "-9223372036854775808 - 1", "9223372036854775807 * 2", "-9223372036854775808 / -1", "-(-9223372036854775808)",
    "1 / 0", "1 % 0", "1u / 0u", "1.0 / 0.0", "-1.0 / 0.0", "0.0 / 0.0", "18446744073709551615u + 1u", "-9223372036854775808 % -1",
    "'a' + 'b'", "b'a' + b'\\xff'", "[1] + [2]", "duration('1h') + duration('1m')", "timestamp('2020-01-01T00:00:00Z') + duration('1h')",
    "duration('1h') + timestamp('2020-01-01T00:00:00Z')", "timestamp('2020-01-01T00:00:00Z') - duration('1h')",
    "timestamp('2020-01-02T00:00:00Z') - timestamp('2020-01-01T00:00:00Z')", "duration('1h') - duration('2h')",
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')", "timestamp('0001-01-01T00:00:00Z') - duration('1s')",
    "1 < 2", "1 <= 1", "2 > 1", "2 >= 3", "'a' < 'b'", "'a' < '\\U0001F600'", "'\\uFFFD' < '\\U0001F600'", "b'a' < b'b'", "false < true",
    "1 < 1.5", "1u < 2", "1 < 2u", "1.5 > 1u", "-1 < 0u", "1 == 1.0", "1u == 1", "1 == 1u", "dyn(1) == 1.0", "dyn(1) == 1u", "dyn(1) == '1'",
    "dyn(0.0/0.0) == 0.0/0.0", "dyn(0.0/0.0) < 1.0", "1 != 2", "'a' != 'a'", "[1, 2] == [1, 2]", "[1] == [dyn(1.0)]", "[1, 2] == [2, 1]",
    "{'a': 1} == {'a': 1}", "{'a': 1} == {'a': 2}", "{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "{1: 'a'} == {dyn(1u): 'a'}", "null == null",
    "dyn(null) == 1", "duration('60s') == duration('1m')", "timestamp('2020-01-01T00:00:00Z') == timestamp('2020-01-01T01:00:00+01:00')",
    "type(1) == int", "type(1)", "type('a')", "type(type(1))", "type(null)", "type([])", "type({})", "type(1.0) == double", "type(b'')",
    "type(duration('1s'))", "type(timestamp('2020-01-01T00:00:00Z'))", "type(optional.none())", "type(dyn)", "int", "type(type)",
    "int == type(1)", "list == type([])",
    "true && false", "true || false", "!true", "true ? 1 : 2", "false ? 1 : 2", "true || 1/0 > 0", "1/0 > 0 || true", "false && 1/0 > 0",
    "1/0 > 0 && false", "1/0 > 0 && true", "1/0 > 0 || false", "true ? 1 : 1/0", "1/0 > 0 ? 1 : 2", "(1/0 > 0) == true",
    "dyn('a') && true", "dyn('a') || true", "true && dyn('a')", "dyn('x') ? 1 : 2", "!dyn('a')", "-dyn('a')", "-dyn(1u)", "-dyn(true)",
    "true && true && true && false && true", "false || false || false || true", "a.b",
    "[1, 2, 3][0]", "[1, 2, 3][3]", "[1, 2, 3][-1]", "[1, 2, 3][dyn(1.0)]", "[1, 2, 3][dyn(1.5)]", "[1, 2, 3][dyn('a')]", "[1,2,3][dyn(1u)]",
    "{'a': 1}['a']", "{'a': 1}['b']", "{'a': 1}.a", "{'a': 1}.b", "{1: 'a'}[1]", "{1u: 'a'}[1u]", "{true: 'a'}[true]", "{1: 'a'}[dyn(1u)]",
    "{1: 'a'}[dyn(1.0)]", "{1: 'a'}[dyn(1.5)]", "has({'a': 1}.a)", "has({'a': 1}.b)", "has(dyn({'a': {'b': 1}}).a.b)", "has(dyn({'a': 1}).a.b)",
    "has(dyn(1).a)", "dyn(1).a", "dyn('s').a.b", "dyn([1]).a", "dyn({'a': 1}).b.c", "dyn(null).a", "has(dyn(null).a)",
    "1 in [1, 2]", "3 in [1, 2]", "dyn(1.0) in [1, 2]", "dyn(1u) in [1, 2]", "'a' in {'a': 1}", "'b' in {'a': 1}", "1 in []", "dyn('x') in [1, 2]",
    "[1] in [[1]]", "b'a' in [b'a']", "1 in dyn(1)", "dyn(1) in dyn([1.0, 2.0])", "2 in [1.0, 2.0].map(x, int(x))", "null in [null]",
    "size('abc')", "'abc'.size()", "size('\\U0001F600')", "size(b'\\xff\\xfe')", "size([1, 2])", "[1, 2].size()", "size({'a': 1})", "{}.size()", "size(dyn(1))",
    "'hello'.contains('ell')", "'hello'.contains('')", "'hello'.startsWith('he')", "'hello'.endsWith('lo')", "dyn(1).startsWith('a')", "'a'.startsWith(dyn(1))",
    "'hello'.matches('^h.*o$')", "matches('hello', 'l+')", "'hello'.matches(dyn('['))", "'a\\nb'.matches('a.b')", "'a\\nb'.matches('(?s)a.b')", "'ab'.matches('(?i)AB')", "'éa'.matches('^\\\\pL+$')",
    "[1, 2, 3].all(x, x > 0)", "[1, 2, 3].all(x, x > 1)", "[1, 2, 3].exists(x, x > 2)", "[1, 2, 3].exists(x, x > 3)", "[1, 2, 3].exists_one(x, x > 2)",
    "[1, 2, 3].exists_one(x, x > 1)", "[1, 2, 3].existsOne(x, x == 1)", "[1, 2, 3].map(x, x * 2)", "[1, 2, 3].map(x, x > 1, x * 2)", "[1, 2, 3].filter(x, x > 1)", "[].map(x, x)",
    "[].all(x, x > 0)", "[].exists(x, x > 0)", "{'a': 1, 'b': 2}.all(k, k > 'A')", "{'a': 1}.map(k, k + 'x')", "{'a': 1, 'b': 2}.exists(k, k == 'b')",
    "[1, 0].all(x, 1/x > 0)", "[0, 1].exists(x, 1/x > 0)", "[1, 0].map(x, 1/x)", "[0, 1].filter(x, 1/x > 0)", "[0, 2].exists_one(x, 1/x == 0)",
    "[[1, 2], [3]].map(x, x.map(y, y + 1))", "[1, 2].map(x, [3, 4].map(y, x * y))", "dyn([1, 2]).all(x, x > 0)", "dyn({'a': 1}).map(k, k)", "dyn(1).map(x, x)",
    "[1, 2].map(x, x).filter(x, x > 1).size()", "[1, 2, 3].filter(x, x in [1, 3])", "['a', 'b'].all(s, s.matches('^[a-z]$'))",
    "[1, 2, 3].all(i, v, i < v)", "[1, 2].exists(i, v, i == 1 && v == 2)", "[1, 2].existsOne(i, v, v == 2)", "[1, 2, 3].transformList(i, v, i * v)", "[1, 2, 3].transformList(i, v, i > 0, v)",
    "{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, k)", "[1, 2].transformMap(i, v, v * 10)", "{'a': 'x'}.transformMapEntry(k, v, {v: k})",
    "{'a': 'x', 'b': 'x'}.transformMapEntry(k, v, {v: k})", "{'a': 1}.transformList(k, v, k + string(v))", "{'a': 1}.all(k, v, v == 1)",
    "optional.of(1)", "optional.none()", "optional.of(1).value()", "optional.none().value()", "optional.of(1).hasValue()", "optional.none().hasValue()", "optional.ofNonZeroValue(0)",
    "optional.ofNonZeroValue(1)", "optional.ofNonZeroValue('')", "optional.ofNonZeroValue(null)", "optional.ofNonZeroValue([])", "optional.ofNonZeroValue(duration('0s'))", "optional.of(1).orValue(2)", "optional.none().orValue(2)", "optional.none().or(optional.of(3))",
    "optional.of(1).or(optional.of(3))", "optional.of(1).optMap(x, x + 1)", "optional.none().optMap(x, x + 1)", "optional.of(1).optFlatMap(x, optional.of(x + 1))", "optional.of(1).optFlatMap(x, optional.none())",
    "{'a': 1}.?a", "{'a': 1}.?b", "{'a': {'b': 2}}.?a.b", "{'a': {'b': 2}}.?a.c", "{'a': {'b': 2}}.?x.?b", "{'a': 1}[?'a']", "{'a': 1}[?'b'].orValue(7)", "[1, 2][?0]", "[1, 2][?5]", "[1,2][?dyn('x')]",
    "{?'a': optional.of(1), ?'b': optional.none()}", "[?optional.of(1), ?optional.none(), 3]", "has({'a': {'b': 1}}.?a.b)", "has({'a': {'b': 1}}.?x.b)", "optional.of({'a': 1}).a", "optional.of([1])[0]", "optional.of({'k': 1})['k']",
    "optional.of(1) == optional.of(1)", "optional.of(1) == optional.none()", "optional.none() == optional.none()", "[optional.of(1), optional.none()].unwrapOpt()", "optional.unwrap([optional.of(1)])", "[1, 2].first()", "[].first()", "[1, 2].last()", "optional.of(null).hasValue()", "{'a': null}.?a",
    "int('42')", "int('-1')", "int('x')", "int(1.9)", "int(-1.9)", "int(1e30)", "int(5u)", "int(18446744073709551615u)", "int(duration('1s'))", "int(timestamp('1970-01-01T00:01:00Z'))", "int(dyn('9223372036854775808'))", "int(dyn(true))",
    "uint('42')", "uint(1)", "uint(-1)", "uint(1.5)", "uint(-1.5)", "uint(dyn('x'))", "double('1.5')", "double(1)", "double(1u)", "double('x')", "double('inf')", "double('NaN')", "double('1e3')", "double('0x1p4')",
    "string(1)", "string(1u)", "string(1.5)", "string(1.0)", "string(1e6)", "string(123456789.0)", "string(1e21)", "string(0.0001)", "string(0.00001)", "string(1.0/0.0)", "string(-1.0/0.0)", "string(0.0/0.0)", "string(-0.0)", "string(true)", "string(b'abc')", "string(b'\\xff')", "string(duration('1h30m'))", "string(duration('1.5s'))", "string(duration('1ns'))",
    "string(timestamp('2020-01-01T00:00:00Z'))", "string(timestamp('2020-01-01T01:00:00.123456789+02:00'))", "string(dyn([]))", "bool('true')", "bool('T')", "bool('0')", "bool('x')", "bytes('é')", "bytes(b'a')", "dyn(1)", "string('a')",
    "duration('1h')", "duration('-1.5h')", "duration('1h2m3s4ms5us6ns')", "duration('x')", "duration('1')", "duration('0')", "duration('.5s')", "duration('1e3s')", "duration('10000000h')", "duration(5)", "timestamp('x')", "timestamp('2020-13-01T00:00:00Z')", "timestamp('2020-02-30T00:00:00Z')", "timestamp('2020-01-01')", "timestamp(0)", "timestamp('2020-01-01T00:00:60Z')", "timestamp('10000-01-01T00:00:00Z')", "timestamp('2020-01-01t00:00:00z')",
    "timestamp('2024-02-29T12:30:45.678Z').getFullYear()", "timestamp('2024-02-29T12:30:45.678Z').getMonth()", "timestamp('2024-02-29T12:30:45.678Z').getDate()", "timestamp('2024-02-29T12:30:45.678Z').getDayOfMonth()", "timestamp('2024-02-29T12:30:45.678Z').getDayOfWeek()", "timestamp('2024-12-31T12:30:45.678Z').getDayOfYear()",
    "timestamp('2024-02-29T12:30:45.678Z').getHours()", "timestamp('2024-02-29T12:30:45.678Z').getMinutes()", "timestamp('2024-02-29T12:30:45.678Z').getSeconds()", "timestamp('2024-02-29T12:30:45.678Z').getMilliseconds()",
    "timestamp('2024-02-29T23:30:45Z').getHours('Europe/Berlin')", "timestamp('2024-07-01T23:30:45Z').getDate('Europe/Berlin')", "timestamp('2024-02-29T12:30:45Z').getHours('-08:30')", "timestamp('2024-02-29T12:30:45Z').getHours('+05:45')", "timestamp('2024-02-29T12:30:45Z').getHours('Nowhere')", "timestamp('2024-02-29T12:30:45Z').getHours('x:y')",
    "duration('3h5m7s').getHours()", "duration('3h5m7s').getMinutes()", "duration('3h5m7s').getSeconds()", "duration('1.5s').getMilliseconds()", "duration('-90m').getHours()",
    "cel.bind(x, 1, x)", "1 + 'a'", "'a' * 2", "[1, 'a']", "[1, 'a', 2.0]", "{'a': 1, 'b': 'c', 'd': 2.0}", "[[1], [2, 'a']]", "dyn(duration('1s')).size()", "dyn(1u).all(i, v, true)", "dyn(1).all(i, v, true)", "dyn(true).all(x, true)", "dyn(null).exists(x, true)", "dyn(duration('1s')) * 2", "dyn(timestamp(0)) / 2", "{'a': 1, 'b': 'c'}", "{1: 1, 'a': 2}", "[1, dyn('a')]", "[[], [1]]", "[{}, {'a': 1}]", "[1, null]", "[null, null]", "{'a': null}", "[duration('1s'), null]",
    "undeclared", "undeclared(1)", "a.b.c", "'a'.undeclared()", "size(1)", "size()", "'a'.size(1)", "1.size()", "[1].map(x, y)", "has(x.y)", "1 && true", "true && 'a'", "1 ? 2 : 3", "true ? 1 : 'a'", "!1", "-'a'", "-true", "'a' in 'b'", "1 in {'a': 1}", "[1]['a']", "{'a': 1}[1]", "'a'.b", "1.a", "[1].a", "int('a').b", "'a'.matches('[')", "'a'.find('[')", "'a'.matches('(?<name>a)')", "'a'.matches('(?P<name>a)')", "'a'.matches('\\\\1')", "'a'.matches('(?=a)')", "'a'.matches('a{1001}')", "'a'.matches('*')", "'a'.matches('a**')", "'a'.matches('(a')", "'a'.matches('a)')", "'a'.matches('[b-a]')", "'a'.matches('\\\\8')", "'a'.matches('\\\\pX')", "'a'.find('a{2,1}')",
    "x{}", "int{}", "Foo{a: 1}", "1.0 < 'a'", "1 == 'a'", "null == 1", "[1] == ['a']", "type(1) == 'int'", "duration('1s') < 1", "timestamp('2020-01-01T00:00:00Z') == 'x'", "dyn(1) < 'a'", "dyn([]) < dyn([])", "dyn({}) + dyn({})", "dyn(1) + dyn('a')", "dyn('a') - dyn('b')", "dyn('a') * 2", "dyn(true) + true", "dyn(1.5) % dyn(2.0)",
    "'\\u00e9\\n' + x", "'é' + undeclared", "[\n1,\n  x\n]", "a &&\n b ||\n c", "[1,2,3].all(x, y.all(z, w))", "1 + + 2", "'unterminated", "1 +", "(1", "[1", "foo(1", "a b", "a.", "a..b", "1 2 3", "{'a' 1}", "[1 2]", "x{a", "#", "1 = 2", "package", "a.package", "for", "x.in", "'\\q'", "99999999999999999999", "1e999", "*", "? 1", "a ? b", "", " ", "// c", "a // c",
    "1 // comment", "\t1\n+\r\n2", "'''a\nb'''", "r'\\n'", "\"a'b\"", "'\\x41\\101\\u0041\\U00000041'", "b'\\x41\\101'", "'\\U00110000'", "0x1F", "0xFFu", "-0x10", "1.5e3", ".5", "1e-3", "--1", "!!true", "- - 1", "-(1)", "1--1",
    "[,]", "{,}", "[1,]", "{1: 2,}", "size([1],)",
  ),
  ...withLibrary("bindings", "cel.bind(x, 1 + 1, x * x)", "cel.bind(x, 1/0, 5)", "cel.bind(x, [1, 2], x.map(y, y + x[0]))", "cel.bind(a, 'x', cel.bind(b, a + a, b + b))", "cel.bind(x, [], x + [1])", "cel.bind(x.y, 1, 2)", "cel.bind(x, 'abc', x.size() + x.size())", "[1, 2].map(i, cel.bind(j, i * 2, j + j))"),
  ...atVersion("1.27", "optional.of(1)", "1 < 1.5", "'a'.join()", "['a', 'b'].join(',')", "'%s'.format([1])", "quantity('1')", "'a'.matches('[')", "duration('x')", "[1].all(x, 1 < 1.5)"),
  ...atVersion("1.28", "sets.contains([1], [1])", "1 < 1.5", "optional.of(1)", "strings.quote('a')", "duration('x')", "ip('1.1.1.1')", "[1, 'a', 2.0]", "[[1], [2, [3]]]", "{'a': 1, 'b': 'c'}"),
  ...atVersion("1.30", "isIP('1.1.1.1')", "format.named('uri')", "semver('1.2.3')", "[1].transformList(i, v, v)"),
  ...atVersion("1.33", "semver('1.2.3').major()", "[3, 1].sort()", "lists.range(3)"),
];

const kubernetes: Case[] = [
  ...plain(
    "url('https://user:pass@example.com:80/path?query=val#fragment')", "url('https://example.com:80/').getHost()", "url('https://[::1]:80/').getHost()", "url('https://[::1]:80/').getHostname()", "url('https://[::1]/').getPort()", "url('/path').getScheme()", "url('https://example.com/path with spaces/').getEscapedPath()", "url('https://example.com/a%2Fb/c').getEscapedPath()", "url('https://example.com').getEscapedPath()", "url('https://example.com/path?k1=a&k2=b&k2=c').getQuery()", "url('https://example.com/path?key with spaces=value with spaces').getQuery()", "url('https://example.com/path?').getQuery()", "url('https://example.com/?a=%41+b&c').getQuery()", "url('https://example.com/?a;b=1&c=%zz&d=2').getQuery()",
    "url('https://a:b:c/')", "url('../relative')", "url('')", "url('https://exa mple.com')", "url('https://example.com/%zz')", "url('ht tp://x')", "url(':foo')", "url('mailto:a@b')", "url('http://[::1')", "url('http://[::1%25eth0]/')", "url('http://[1.2.3.4]/')", "url('http://a[b]/')", "url('http://%41/')", "url('HTTP://Example.COM/').getScheme()", "url('file:/a/b')", "url('file:///a')", "url('*')", "url('http://x:99999/').getPort()", "url('http://x:/').getPort()", "url('http://a\\u0001b/')", "url('/a?b#c')", "url('http://user name@x/')", "url('http://x/a!b(c)*').getEscapedPath()", "url('http://x/\\u00e9').getEscapedPath()", "url('foo://a:b:80/')", "url('http://a<b/')",
    "isURL('https://example.com')", "isURL('/a')", "isURL('a')", "isURL('https://a:b:c/')", "url('https://a/') == url('https://a/')", "url('https://a/') == url('https://b/')", "url('/a') != url('/b')", "type(url('/a'))",
    "'abc 123'.find('[0-9]+')", "'abc'.find('[0-9]+')", "'abc 123'.find('[0-9]*')", "'123 abc 456'.findAll('[0-9]*')", "'123 abc 456'.findAll('[0-9]+')", "'123 abc 456'.findAll('[0-9]+', 1)", "'123 abc 456'.findAll('[0-9]+', 0)", "'123 abc 456'.findAll('xyz')", "'aaa'.findAll('a*')", "'abab'.findAll('')", "'a'.find(dyn('['))", "'a'.findAll(dyn('[a'))",
    "[1, 2, 3].isSorted()", "[2, 1].isSorted()", "['a', 'b', 'b'].isSorted()", "[].isSorted()", "[1.5, 2.5].isSorted()", "[true, false].isSorted()", "[duration('1s'), duration('2s')].isSorted()", "[timestamp('2020-01-01T00:00:00Z')].isSorted()", "[b'a', b'b'].isSorted()", "[1u, 2u].isSorted()",
    "[1, 3].sum()", "[1.0, 3.0].sum()", "[1u, 2u].sum()", "[duration('1m'), duration('1s')].sum()", "[].sum()", "[9223372036854775807, 1].sum()", "['a'].sum()", "[1, 3].min()", "[1, 3].max()", "[].min()", "[].max()", "['b', 'a'].min()", "[1.5, 0.5].max()", "[true, false].min()", "[b'a', b'b'].max()", "[[1]].max()",
    "[1, 2, 2, 3].indexOf(2)", "['a', 'b', 'b', 'c'].lastIndexOf('b')", "[1.0].indexOf(1.1)", "[].indexOf('string')", "[1, 2].lastIndexOf(5)", "[1].indexOf(dyn(1.0))",
    "quantity('1')", "quantity('1.5')", "quantity('100m')", "quantity('1k')", "quantity('1Ki')", "quantity('1.5Gi')", "quantity('1e3')", "quantity('1E3')", "quantity('1E')", "quantity('1Ei')", "quantity('12e6')", "quantity('-1')", "quantity('+1')", "quantity('0')", "quantity('00.5')", "quantity('.5')", "quantity('5.')", "quantity('1n')", "quantity('0.1n')", "quantity('1.23456789012345')", "quantity('99999999999999999999')", "quantity('9999999999999999Ki')", "quantity('')", "quantity('x')", "quantity('1x')", "quantity('1.5.5')", "quantity('1Kii')", "quantity('1e')", "quantity(' 1')", "quantity('--1')", "quantity('1e-2')", "quantity('1u')", "quantity('.')", "quantity('m')", "quantity('100000000000000000000000m')",
    "isQuantity('1.3Gi')", "isQuantity('1.3GB')", "isQuantity('1,3')", "isQuantity('')", "quantity('1k').asInteger()", "quantity('1.5').asInteger()", "quantity('1000m').asInteger()", "quantity('1000m').isInteger()", "quantity('1Ki').isInteger()", "quantity('99999999999999999999').isInteger()", "quantity('1e3').asInteger()", "quantity('1e19').asInteger()", "quantity('1.5').asApproximateFloat()", "quantity('100m').asApproximateFloat()", "quantity('1Ki').asApproximateFloat()", "sign(quantity('-1'))", "sign(quantity('0'))", "sign(quantity('1'))",
    "quantity('1').isGreaterThan(quantity('900m'))", "quantity('1').isLessThan(quantity('1'))", "quantity('1Ki').compareTo(quantity('1k'))", "quantity('1').add(quantity('500m'))", "quantity('1').add(2)", "quantity('1').sub(quantity('2'))", "quantity('1').sub(5)", "quantity('50k').add(20).isLessThan(quantity('50.1k'))", "quantity('0').add(quantity('1Gi'))", "quantity('1') == quantity('1000m')", "quantity('1') != quantity('2')", "quantity('9223372036854775807').add(1)", "type(quantity('1'))", "quantity('1') == 'a'",
    "ip('192.168.0.1')", "ip('::1')", "ip('2001:DB8::1')", "ip('::ffff:1.2.3.4')", "ip('1.2.3')", "ip('1.2.3.4.5')", "ip('01.2.3.4')", "ip('256.0.0.1')", "ip('x')", "ip('')", "ip('fe80::1%eth0')", "ip('::1::')", "ip('1:2:3:4:5:6:7')", "ip('1:2:3:4:5:6:7:8:9')", "ip('12345::')", "ip('1:2:3:4:5:6:1.2.3.4')", "ip('::1.2.3.4')", "ip('1.2.3.x')", "ip('.1.2.3')", "ip('1::2:')", "ip(':1')", "ip('%a')", "ip('1:2:3:4:5:6:7::8')", "ip('0:0:0:0:0:0:0:1')",
    "isIP('1.2.3.4')", "isIP('x')", "ip.isCanonical('127.0.0.1')", "ip.isCanonical('2001:DB8::1')", "ip.isCanonical('x')", "ip('1.2.3.4').family()", "ip('::1').family()", "ip('0.0.0.0').isUnspecified()", "ip('::').isUnspecified()", "ip('127.0.0.1').isLoopback()", "ip('::1').isLoopback()", "ip('224.0.0.1').isLinkLocalMulticast()", "ip('ff02::1').isLinkLocalMulticast()", "ip('169.254.1.1').isLinkLocalUnicast()", "ip('fe80::1').isLinkLocalUnicast()", "ip('192.168.1.1').isGlobalUnicast()", "ip('255.255.255.255').isGlobalUnicast()", "ip('ff02::1').isGlobalUnicast()", "ip('127.0.0.1') == ip('127.0.0.1')", "ip('127.0.0.1') == ip('10.0.0.1')", "string(ip('2001:db8:0:0:0:0:0:1'))", "type(ip('1.1.1.1')) == net.IP", "string(ip('1:0:0:2:0:0:0:3'))", "size(ip('1.1.1.1'))",
    "cidr('192.168.0.0/24')", "cidr('::1/128')", "cidr('192.168.0.0/33')", "cidr('192.168.0.0')", "cidr('192.168.0.0/')", "cidr('192.168.0.0/024')", "cidr('x/1')", "cidr('::ffff:1.2.3.4/24')", "cidr('fe80::1%a/64')", "cidr('1.2.3.4/-1')", "isCIDR('10.0.0.0/8')", "isCIDR('10.0.0.0')", "cidr('192.168.0.0/24').containsIP('192.168.0.1')", "cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))", "cidr('192.168.0.0/24').containsIP('x')", "cidr('::/0').containsIP('1.1.1.1')", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.0.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", "cidr('10.0.0.0/8').containsCIDR('x')", "cidr('10.1.2.3/8').ip()", "cidr('10.1.2.3/8').masked()", "cidr('10.1.2.3/8').prefixLength()", "string(cidr('10.1.2.3/8'))", "cidr('2001:db8::1/33').masked()", "cidr('10.0.0.0/8') == cidr('10.0.0.0/8')", "cidr('0.0.0.0/0').containsCIDR('1.2.3.4/32')", "type(cidr('10.0.0.0/8'))",
    "format.dns1123Label().validate('my-label')", "format.dns1123Label().validate('My.Label')", "format.dns1123Label().validate('my.label')", "format.dns1123Subdomain().validate('my.sub')", "format.dns1123Subdomain().validate('My_sub')", "format.dns1035Label().validate('a1')", "format.dns1035Label().validate('1a')", "format.qualifiedName().validate('a/b')", "format.qualifiedName().validate('A/b')", "format.qualifiedName().validate('a/b/c')", "format.qualifiedName().validate('/b')", "format.qualifiedName().validate('a/')", "format.qualifiedName().validate('a/-b')", "format.dns1123LabelPrefix().validate('a-')", "format.dns1123SubdomainPrefix().validate('a.b-')", "format.dns1035LabelPrefix().validate('a-')", "format.dns1035LabelPrefix().validate('-')", "format.labelValue().validate('a_b')", "format.labelValue().validate('-a')", "format.labelValue().validate('')",
    "format.uri().validate('https://x')", "format.uri().validate('x')", "format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')", "format.uuid().validate('x')", "format.byte().validate('aGVsbG8=')", "format.byte().validate('x')", "format.byte().validate('')", "format.date().validate('2024-02-29')", "format.date().validate('2023-02-29')", "format.datetime().validate('2024-02-29T12:00:00Z')", "format.datetime().validate('2024-02-29')", "format.datetime().validate('2024-02-29T25:00:00Z')", "format.datetime().validate('2024-02-29t12:00:00.5+01:00')", "format.named('uri').hasValue()", "format.named('nope')", "format.named('dns1123Label').value().validate('A')", "format.dns1123Label() == format.dns1123Label()", "format.dns1123Label() == format.dns1035Label()", "format.dns1123Label().validate('a123456789012345678901234567890123456789012345678901234567890123456789')", "format.nope()", "format.dns1123Label().validate(1)",
    "semver('1.2.3')", "semver('1.2')", "semver('v1.2.3')", "semver('v1.2', true)", "semver('01.02.3', true)", "semver('1', true)", "semver('1.2.3-alpha.1+build.5')", "semver('1.2.3-01')", "semver('1.2.3-')", "semver('1.2.3+')", "semver('1.02.3')", "semver('a.b.c')", "semver('1.2.3-al_pha')", "semver('')", "semver('1-alpha', true)", "semver('1.2.x')", "semver('1.2.3.4')", "semver('99999999999999999999.0.0')", "isSemver('1.2.3')", "isSemver('1.2')", "isSemver('v1.2', true)", "isSemver('x', true)", "semver('1.2.3').major()", "semver('1.2.3').minor()", "semver('1.2.3').patch()", "semver('1.2.3').isGreaterThan(semver('1.2.2'))", "semver('1.2.3').isLessThan(semver('1.2.3-alpha'))", "semver('1.2.3-alpha.1').compareTo(semver('1.2.3-alpha.beta'))", "semver('1.2.3-alpha').compareTo(semver('1.2.3-alpha.1'))", "semver('1.2.3+a') == semver('1.2.3+b')", "semver('1.2.3') == semver('1.2.4')",
    "sets.contains([1, 2, 3], [1, 2])", "sets.contains([1], [1, 2])", "sets.contains([], [])", "sets.equivalent([1, 2], [2, 1, 1])", "sets.equivalent([1], [1, 2])", "sets.intersects([1, 2], [2, 3])", "sets.intersects([], [1])", "sets.contains([1], ['a'])", "sets.contains([[1]], [[1]])",
    "'hello'.charAt(1)", "'hello'.charAt(5)", "'hello'.charAt(6)", "'h\\U0001F600'.charAt(1)", "'hello'.indexOf('l')", "'hello'.indexOf('l', 3)", "'hello'.indexOf('')", "'hello'.indexOf('z')", "'hello'.indexOf('l', -1)", "'hello'.indexOf('l', 10)", "'hello'.lastIndexOf('l')", "'hello'.lastIndexOf('l', 2)", "'hello'.lastIndexOf('')", "'hello'.lastIndexOf('z')", "'hello'.lastIndexOf('l', -1)", "''.lastIndexOf('a')", "['a', 'b'].join()", "['a', 'b'].join('-')", "[].join(',')", "'HeLLo\\u00c9'.lowerAscii()", "'heLLo\\u00e9'.upperAscii()", "'hello'.replace('l', 'L')", "'hello'.replace('l', 'L', 1)", "'hello'.replace('l', 'L', 0)", "'hello'.replace('', '-')", "'hello'.replace('', '-', 2)", "''.replace('', 'x')", "'hello'.replace('l', 'L', -1)", "'a,b,c'.split(',')", "'a,b,c'.split(',', 2)", "'a,b,c'.split(',', 0)", "'a,b,c'.split(',', 1)", "'abc'.split('')", "''.split(',')", "''.split('')", "'a,b,c'.split(',', -1)", "'abc'.split('', 2)", "'hello'.substring(1)", "'hello'.substring(1, 3)", "'hello'.substring(6)", "'hello'.substring(3, 1)", "'hello'.substring(-1)", "'hello'.substring(0, 9)", "'  a \\t\\n'.trim()", "'\\u00a0x\\u3000'.trim()", "strings.quote('a\"b\\n\\u00e9')", "'abc'.reverse()", "dyn('abc').charAt(dyn(1))", "dyn(1).charAt(0)",
    "'%s'.format(['x'])", "'%s %d'.format(['x', 1])", "'%d'.format([1.5])", "'%.2f'.format([1234567.891])", "'%f'.format([1.5])", "'%.0f'.format([2.5])", "'%e'.format([1234.5])", "'%.2e'.format([0.00012])", "'%x'.format([255])", "'%X'.format([255])", "'%x'.format(['h\\u00e9'])", "'%o'.format([8])", "'%b'.format([5])", "'%b'.format([true])", "'%%'.format([])", "'%s'.format([])", "'%s'.format([1, 2])", "'%z'.format([1])", "'%'.format([1])", "'%.f'.format([1.0])", "'%s'.format([[1.0, 'a', b'b', null, true, duration('1h'), {'k': 1}]])", "'%s'.format([{'b': 2, 'a': 1.5}])", "'%s'.format([type(1)])", "'%s'.format([quantity('1')])", "'%s'.format(dyn([quantity('1')]))", "'%d'.format(dyn([1.5]))", "'%s'.format([timestamp('2020-01-01T00:00:00Z')])", "'%f'.format(['NaN'])", "'%f'.format(['Infinity'])", "'%f'.format(dyn(['x']))", "'%s'.format([1e6])", "'a%sb%sc'.format(['1', '2'])", "'%s'.format([b'\\xff'])", "'%.1f'.format([999.95])", "'%s'.format([[['x']]])", "'%s'.format([{'a': quantity('1')}])",
    "[1, 2, 3].slice(1, 2)", "[1, 2, 3].slice(0, 4)", "[1, 2, 3].slice(2, 1)", "[1, 2, 3].slice(-1, 1)", "[[1], [2, [3]]].flatten()", "[[1], [2]].flatten()", "[[1], [2, [3]]].flatten(2)", "[[1]].flatten(-1)", "[3, 1, 2].sort()", "['b', 'a'].sort()", "[].sort()", "[[1]].sort()", "[3, 1, 2].sortBy(x, -x)", "[{'a': 2}, {'a': 1}].sortBy(m, m.a)", "lists.range(3)", "lists.range(0)", "lists.range(-1)", "[1, 2].reverse()", "[1, 1, 2].distinct()", "[1, 1.0].distinct()", "['a', 'b', 'a'].distinct()", "[true, false].sort()", "[dyn(1), dyn('a')].sort()", "[1, 2].sortBy(x, [x])", "'abc'.sortBy(x, x)", "[3, 2].map(x, x).sortBy(y, y)",
  ),
  ...["authorizer.path('/healthz').check('get').allowed()", "authorizer.path('').check('get')", "authorizer.group('apps').resource('deployments').namespace('default').name('x').subresource('status').check('get').reason()", "authorizer.group('').resource('pods').check('create').allowed()", "authorizer.group('').resource('').check('get').allowed()", "authorizer.group('').resource('pods').check('fail').errored()", "authorizer.group('').resource('pods').check('fail').error()", "authorizer.group('').resource('pods').check('get').error()", "authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('get').reason()", "authorizer.serviceAccount('n s', 'sa')", "authorizer.serviceAccount('ns', 'S_A')", "authorizer.group('').resource('pods').labelSelector('a=b').fieldSelector('x=y').check('list').allowed()", "authorizer == authorizer", "authorizer.group('a') == authorizer.group('a')", "authorizer.group('').resource('pods').check('get').allowed() && authorizer.group('').resource('pods').check('list').allowed() && authorizer.path('/x').check('get').allowed()", "type(authorizer)", "authorizer.foo"].map((expr) => ({ expr, types: { authorizer: "authorizer" } })),
  ...withLibrary("mutation", "Object{spec: Object.spec{replicas: 3}}", "Object{spec: Object.spec{replicas: 3}}.spec.replicas", "Object{}", "Object{intList: [1, 2, 3]}.intList.sum()", "Object{spec: Object.spec{replicas: 3}} == Object{spec: Object.spec{replicas: 1 + 2}}", "Object{a: 1} == Object{b: 1}", "Invalid{}", "JSONPatch{op: 'add', path: '/spec/replicas', value: 3}", "JSONPatch{op: 'remove', path: '/a'}.path", "[JSONPatch{op: 'test', path: '/a', value: 'x'}, JSONPatch{op: 'move', from: '/a', path: '/b'}]", "JSONPatch{op: 1, path: '/a'}", "has(JSONPatch{op: 'add'}.value)", "has(Object{a: 1}.a)", "has(Object{a: 1}.b)", "Object{?existing: optional.none()}", "Object{}.?existing", "jsonpatch.escapeKey('k8s.io/a~b')", "JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/x'), value: 'y'}", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}", "type(Object{})", "Object{spec: Object.spec{template: Object.spec.template{x: 1}}}", "JSONPatch{op: 'add', path: '/a', value: Object{a: 1}}", "JSONPatch{op: 'add', unknown: 1}", "Object{a: undeclared}"),
];

const costs: Case[] = [
  ...onSelf(
    "self.name", "self.name.size() < 10", "self.name == oldSelf.name", "self.replicas >= oldSelf.replicas", "self.replicas > 0 && self.replicas < 10", "has(self.name)", "has(self.missing)", "has(self.nested.deep.x)", "self.missing", "self.nested.deep.x == 42", "self.unbounded.contains('world')", "self.unbounded == oldSelf.unbounded", "self.unbounded.matches('^[a-z ]+$')", "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')", "self.name.startsWith('web')", "self.name.endsWith(self.nested.kind)", "self.name + self.nested.kind", "self.name.replace('w', 'W')", "self.name.replace(self.nested.kind, self.unbounded)", "self.name.replace('', self.nested.kind)", "self.name.split('-')", "self.name.split('-')[0]", "self.name.split('-', 2).size()", "self.tags.join(',')", "self.free.join(self.name)", "self.name.lowerAscii()", "self.name.substring(1).size()", "self.name.trim().upperAscii()", "self.name.find('[0-9]+')", "self.unbounded.findAll('o')", "self.name.indexOf('w')", "self.name.charAt(0)", "self.name.lastIndexOf('-')",
    "self.tags.all(t, t.size() < 5)", "self.tags.exists(t, t == 'bb')", "self.tags.exists_one(t, t == 'a')", "self.tags.map(t, t + '!')", "self.tags.filter(t, t != 'a')", "self.tags.map(t, t.size() > 1, t)", "self.free.all(t, t.startsWith('x'))", "self.tags.all(a, self.tags.exists(b, a == b))", "self.tags.isSorted()", "self.ports.sum()", "self.ports.max()", "self.tags.min()", "self.tags.indexOf('bb')", "self.ports.lastIndexOf(443)", "self.ports[0]", "self.ports[5]", "self.ports[self.replicas - 3]", "self.tags[self.ports.size() - 1]", "self.labels['app']", "self.labels[self.name]", "self.labels.app", "self.labels.nope", "has(self.labels.app)", "self.labels.all(k, self.labels[k].size() < 10)", "self.labels.exists(k, v, v == 'web')", "self.open.all(k, k.size() > 0)", "'app' in self.labels", "'bb' in self.tags", "self.name in ['a', 'web-1']", "self.name in self.tags", "self.replicas in [1, 2, 3]", "self.replicas in self.ports",
    "self.items.all(i, i.value > 0)", "self.items.map(i, i.key)", "self.items.filter(i, i.flags.exists(f, f))", "self.items.all(i, i.flags.all(f, f || !f))", "self.items[0].key", "self.items[0].flags[1]", "self.items.exists(i, i.key == self.name)", "self.items.map(i, i.value).sum()", "self.matrix.all(r, r.all(c, c > 0))", "self.matrix.map(r, r.sum())", "self.matrix[1][2]", "self.matrix.flatten()", "self.items.sortBy(i, i.key)", "self.tags.sort()", "self.ports.sort()", "self.tags.distinct()", "self.tags.reverse()", "self.tags.slice(0, 2)", "self.tags.slice(0, self.replicas)", "lists.range(self.replicas)", "lists.range(5)", "sets.contains(self.tags, ['a'])", "sets.equivalent(self.tags, self.free)", "sets.intersects(self.ports, [80])", "self.tags + self.free", "(self.tags + self.free).all(x, x.size() > 0)", "[self.name, self.nested.kind].join('/')", "[self.name].map(n, n + n)",
    "self.any.a[0]", "self.any.b.c", "self.any.x", "has(self.any.b)", "has(self.any.b.c)", "self.any.a.size()", "self.any.a.all(x, x != 5)", "self.any == self.any", "dyn(self.name) == 1", "dyn(self.replicas) + 1", "self.?missing.orValue('d')", "self.?name.orValue('d')", "self.?nested.?deep.?x.orValue(0)", "self.?missingMap[?'a'].hasValue()", "self.missingMap.?a", "self.labels[?'app'].orValue('x')", "self.tags[?7].orValue('none')", "self.?name.optMap(n, n.size()).orValue(0)", "optional.of(self.name).value()", "optional.ofNonZeroValue(self.name).hasValue()",
    "self.enabled ? self.name : self.unbounded", "self.enabled ? self.replicas : 0", "(self.enabled ? self.nested : oldSelf.nested).kind", "self.enabled ? self.tags : self.free", "(self.enabled ? self.tags : self.free).size()", "self.enabled || self.name == 'x'", "self.enabled && self.unbounded.contains('x')", "!self.enabled", "self.enabled == oldSelf.enabled ? 'same' : 'different'", "has(self.missing) ? self.missing.size() : 0", "has(self.missing) && self.missing.size() > 0", "!has(self.missing) || self.missing == 'x'",
    "self.timeout < duration('2m')", "self.timeout + duration('1m')", "self.created.getFullYear()", "self.created > timestamp('2020-01-01T00:00:00Z')", "string(self.created)", "string(self.replicas)", "string(self.data)", "bytes(self.name)", "self.data.size()", "self.data == b'hello'", "self.data + self.data", "self.count + 1u", "self.ratio * 2.0", "self.ratio < 1", "self.replicas < self.ratio", "int(self.ratio)", "double(self.replicas)", "type(self.name)", "-self.replicas", "self.replicas % 2 == 0", "self.replicas / 0", "self.__namespace__", "self.a__dash__b.size()", "self.nope", "self.nested.nope", "self.name.nope", "self.replicas.size()", "self == oldSelf", "self.nested == oldSelf.nested", "self.items == oldSelf.items", "self.labels == oldSelf.labels", "self.tags != oldSelf.tags",
    "url(self.unbounded)", "isURL(self.unbounded)", "url('https://' + self.name).getHost() == self.name", "url('/a') == url(self.name)", "isIP(self.name)", "ip.isCanonical(self.name)", "isCIDR(self.unbounded)", "cidr('10.0.0.0/8').containsIP(self.name)", "isQuantity(self.name)", "quantity('1').compareTo(quantity('2')) < 0", "isSemver(self.name)", "format.dns1123Label().validate(self.name)", "format.dns1123Label().validate(self.unbounded).hasValue()", "!format.dns1123Subdomain().validate(self.name).hasValue()", "'%s-%d'.format([self.name, self.replicas])", "'%s'.format([self.tags])", "strings.quote(self.name)", "self.name.matches(self.nested.kind)", "matches(self.name, 'a+')", "self.unbounded.split(' ').all(w, w.size() > 0)", "self.tags.map(t, t.size()).sum()", "self.tags.transformList(i, t, string(i) + t)", "self.labels.transformMap(k, v, v + k)", "self.labels.map(k, self.labels[k]).size()", "[1, 2, 3].map(x, self.tags.map(t, t)).size()", "self.tags.all(t, self.labels.all(k, t != k))", "{'a': self.name, 'b': self.unbounded}.a", "{'a': self.name}['a'] + self.name", "[self.name, self.unbounded][0]", "[[self.name]][0][0]", "self.tags.filter(t, t != '').map(t, t + t).exists(t, t.contains('a'))", "size(self.tags) + size(self.labels) + size(self.name)", "self.items.map(i, {'k': i.key})[0].k", "self.items.all(i, v, v.value > i)", "self.open.map(k, k).join(',')", "self.free.map(f, f.size())", "self.free.sort()", "self.unbounded + self.unbounded + self.name", "self.replicas == 3 || self.name == 'x' || self.tags.size() == 1 || self.enabled", "self.name == 'a' && self.name == 'b' && self.name == 'c'",
  ),
  { expr: "[1,2,3,4,5,6,7,8,9,10].all(x, [1,2,3,4,5,6,7,8,9,10].all(y, x + y > 0))", limit: 100 },
  { expr: "lists.range(1000).map(x, x * 2).size()", limit: 1000 },
  { expr: "lists.range(100).all(x, x >= 0)", limit: 700 },
  { expr: "1 + 1", limit: 1 },
  { expr: "1 + 1 + 1", limit: 1 },
  { expr: "true || [1].map(x, x).size() > 0", limit: 1 },
  { expr: "[1].map(x, x).size() > 0 || true", limit: 5 },
];

export const FILES: Readonly<Record<string, readonly Case[]>> = { core, kubernetes, costs };

if (import.meta.main) process.stdout.write(JSON.stringify(FILES[process.argv[2] ?? ""] ?? []));
