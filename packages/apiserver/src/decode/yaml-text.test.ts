import assert from "node:assert/strict";
import { test } from "node:test";
import { StrictProblems } from "./strict.ts";
import { parseYaml, YamlSyntaxError } from "./yaml-text.ts";

function duplicatesOf(text: string): readonly string[] {
  const problems = new StrictProblems();
  parseYaml(text, problems);
  return problems.messages;
}

function complaint(text: string): string {
  try {
    return `no complaint but ${JSON.stringify(parseYaml(text))}`;
  } catch (error) {
    if (error instanceof YamlSyntaxError) return error.message;
    throw error;
  }
}

test("duplicate keys are reported with the line of their second value", () => {
  assert.deepEqual(duplicatesOf("a: 1\nb: 2\na:\n  c: 1\n"), ['line 4: key "a" already set in map']);
  assert.deepEqual(duplicatesOf("1: a\n1: b\n'1': c\n"), ["line 2: key 1 already set in map"]);
  assert.deepEqual(duplicatesOf('"a": 1\na: 2\n? a\n: 3\n'), [
    'line 2: key "a" already set in map',
    'line 4: key "a" already set in map',
  ]);
});

test("the last of two equal keys counts", () => {
  assert.deepEqual(parseYaml("a: 1\na: 2\n"), { a: 2 });
});

test("merge keys add pairs in the order of the text, as yaml.v2 does", () => {
  assert.deepEqual(parseYaml("x: &x {a: 1, b: 1}\nz: {a: 2, <<: *x, b: 3}"), {
    x: { a: 1, b: 1 },
    z: { a: 1, b: 3 },
  });
  assert.deepEqual(parseYaml("<<: [{a: 1}, {a: 2, b: 2}]"), { a: 1, b: 2 });
  assert.deepEqual(parseYaml('"<<": {a: 1}'), { "<<": { a: 1 } });
  assert.deepEqual(duplicatesOf("x: &x {a: 1}\nz:\n  <<: *x\n  a: 2\n"), ['line 4: key "a" already set in map']);
  assert.equal(complaint("<<: 5"), "yaml: map merge requires map or sequence of maps as the value");
});

test("an alias refers to the last anchor before it", () => {
  assert.deepEqual(parseYaml("[&a 1, *a, &a 2, *a]"), [1, 1, 2, 2]);
  assert.equal(complaint("[*a, &a 1]"), "yaml: unknown anchor 'a' referenced");
  assert.equal(complaint("&a [*a]"), "yaml: anchor 'a' value contains itself");
  assert.equal(complaint("a: &a {<<: *a}"), "yaml: anchor 'a' value contains itself");
});

test("an alias may be used often, but must not multiply the size of a document", () => {
  assert.equal((parseYaml(`- &a [1]\n${"- *a\n".repeat(300)}`) as unknown[]).length, 301);
  const tenfold = Array.from({ length: 8 }, (_, at) => `- &a${at + 1} [${`*a${at}, `.repeat(10)}]`).join("\n");
  assert.equal(complaint(`- &a0 [1]\n${tenfold}`), "yaml: document contains excessive aliasing");
  const long = "x".repeat(100_000);
  assert.equal(complaint(`- &a ${long}\n${"- *a\n".repeat(200)}`), "yaml: document contains excessive aliasing");
});

test("unpaired surrogate escapes are rejected in double quotes only", () => {
  const why = "yaml: found invalid Unicode character escape code";
  assert.equal(complaint('a: "\\ud83d"'), why);
  assert.equal(complaint('# "\na: "\\ud83d\\ude00"'), why);
  assert.equal(complaint('a: "\\U0000d83d"'), why);
  assert.deepEqual(parseYaml("a: '\\ud83d'\nb: \"\\\\ud83d\"\nc: \\ud83d"), {
    a: "\\ud83d",
    b: "\\ud83d",
    c: "\\ud83d",
  });
});

test("closing brackets end the document, even if invalid YAML follows", () => {
  assert.deepEqual(parseYaml('{"a": "}\\""} }'), { a: '}"' });
  assert.deepEqual(parseYaml("['it]', a] ]"), ["it]", "a"]);
});

test("lists that nest too deep are rejected, with brackets and without", () => {
  const why = "yaml: exceeded max depth of 10000";
  assert.equal(complaint("[".repeat(20_000)), why);
  assert.equal(complaint("- ".repeat(20_000)), why);
  assert.equal(complaint("? ".repeat(20_000)), why);
});

test("a text with too many tokens is rejected", () => {
  assert.equal(complaint(`[${"1,".repeat(80_000)}]`), "yaml: document contains more than 150000 tokens");
});

test("of many errors the first one is reported", () => {
  assert.equal(complaint(`a: b: c\n${"@ ]\n".repeat(1000)}`), "yaml: mapping values are not allowed in this context");
});

test("keys named like properties of Object.prototype are ordinary keys", () => {
  const value = parseYaml("__proto__: {a: b}\nconstructor: 1\n");
  assert.deepEqual(Object.keys(value as object), ["__proto__", "constructor"]);
});
