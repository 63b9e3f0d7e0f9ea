import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "./yaml.ts";

function value(text: string): unknown {
  const parsed = parseYaml(text);
  return parsed.ok ? parsed.value : `problem: ${parsed.problem}`;
}

test("scalars are what Kubernetes' tools make of them", () => {
  assert.deepEqual(value("a: yes\nb: 0777\nc: 1:30\nd: 2001-12-14\ne: 1_000\nf: ~"), {
    a: true,
    b: 511,
    c: "1:30",
    d: "2001-12-14",
    e: 1000,
    f: null,
  });
});

test("only the first document counts, and a key that occurs twice has its last value", () => {
  assert.deepEqual(value("---\na: 1\na: 2\n---\nb: 3\n"), { a: 2 });
});

test("a bomb is refused in a moment, and honest aliases are not", () => {
  const levels = Array.from(
    { length: 40 },
    (_, at) => `l${at + 1}: &l${at + 1} [${"*l".concat(String(at), ",").repeat(9)}]`,
  );
  assert.equal(
    value(`l0: &l0 [x,x,x,x,x,x,x,x,x]\n${levels.join("\n")}\n`),
    "problem: document contains excessive aliasing",
  );
  assert.deepEqual(value("a: &a {x: 1}\nb: *a\nc:\n  <<: *a\n  z: 2\n"), {
    a: { x: 1 },
    b: { x: 1 },
    c: { x: 1, z: 2 },
  });
});

test("an unknown alias has Go's message", () => {
  assert.equal(value("a: *b"), "problem: unknown anchor 'b' referenced");
});

test("excessive nesting is rejected", () => {
  for (const depth of [1_000, 50_000]) assert.match(String(value("[".repeat(depth) + "]".repeat(depth))), /max depth/);
});

test("invalid YAML is reported in one line", () => {
  assert.match(String(value("a: [1, 2\nb: {")), /^problem: [^\n]+$/);
});
