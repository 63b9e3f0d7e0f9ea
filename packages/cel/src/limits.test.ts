/** Nothing that a user writes hangs, overflows the stack or fills the memory. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnv } from "./environment.ts";
import { kubernetesOptions } from "./kubernetes/versions.ts";
import { DYN } from "./type.ts";
import { CelError } from "./values/value.ts";

const env = createEnv({ ...kubernetesOptions(), variables: { x: DYN } });

function messageOf(source: string): string {
  const compiled = env.compile(source);
  return compiled.ok ? "" : compiled.message;
}

describe("limits", () => {
  it("rejects a text that is too long", () => {
    assert.equal(
      messageOf("a".repeat(100_001)),
      "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000",
    );
    assert.match(messageOf("'" + "😀".repeat(99_000) + "' + y"), /undeclared reference/);
  });
  it("rejects nesting that is too deep, in every form", () => {
    const deep = ["(", "[", "{1:", "-(", "!(", "x.f(", "f(", "true?(", "x["].map((open) => open.repeat(20_000));
    for (const source of deep) assert.notEqual(messageOf(source), "", source.slice(0, 10));
    for (const source of [`x${".a".repeat(20_000)}`, `1${"+1".repeat(20_000)}`, `x${"[0]".repeat(20_000)}`]) {
      assert.equal(messageOf(source), "ERROR: <input>:-1:0: max recursion depth exceeded");
    }
  });
  it("accepts long chains that are not deep", () => {
    const compiled = env.compile(Array.from({ length: 3000 }, (_, index) => `x != ${index}`).join(" && "));
    assert.ok(compiled.ok);
    assert.equal(compiled.expression.evaluate(new Map([["x", -1n]])), true);
    assert.ok(env.compile(`[${"1,".repeat(20_000)}]`).ok);
  });
  it("matches patterns in linear time", () => {
    const compiled = env.compile("x.matches('^(a+)+$') || x.matches('(a|a)*b') || x.find('(x+x+)+y') != ''");
    assert.ok(compiled.ok);
    assert.equal(compiled.expression.evaluate(new Map([["x", "a".repeat(5000) + "!"]])), false);
  });
  it("stops at the cost limit, which nothing absorbs", () => {
    const compiled = env.compile("lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0)) || true");
    assert.ok(compiled.ok);
    const result = compiled.expression.evaluate(new Map(), { costLimit: 1_000_000 });
    assert.ok(result instanceof CelError);
    assert.equal(result.code, "cost-limit");
    assert.equal(result.message, "operation cancelled: actual cost limit exceeded");
  });
  it("does not compute with exponents that would not end", () => {
    const compiled = env.compile("quantity(x).compareTo(quantity('1')) == 1 && !quantity(x).isInteger()");
    assert.ok(compiled.ok);
    assert.equal(compiled.expression.evaluate(new Map([["x", "1e2147483647"]])), true);
    assert.equal(compiled.expression.evaluate(new Map([["x", "1e-2147483647"]])), false);
  });
  it("does not create a range that only the memory could end", () => {
    const compiled = env.compile("lists.range(9223372036854775807).size() > 0");
    assert.ok(compiled.ok);
    assert.ok(compiled.expression.evaluate(new Map(), { costLimit: 1_000_000 }) instanceof CelError);
  });
});
