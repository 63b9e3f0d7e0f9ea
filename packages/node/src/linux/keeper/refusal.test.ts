import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefusalSieve } from "./refusal.ts";

function trial(
  pieces: readonly string[],
  code: number,
): { readonly passed: string; readonly refusal: string | undefined } {
  let passed = "";
  const sieve = createRefusalSieve("/kit/env: ", (_channel, bytes) => (passed += bytes.toString("utf8")));
  for (const piece of pieces) sieve.take(2, Buffer.from(piece));
  return { refusal: sieve.end(code), passed };
}

test("one line of the program that could not become the command is no output, however it comes", () => {
  const refusal = "/kit/env: 'nosuch': No such file or directory";
  for (const pieces of [[`${refusal}\n`], ["/kit", "/env: 'nosuch': No such", " file or directory", "\r\n"]])
    assert.deepEqual(trial(pieces, 127), { passed: "", refusal });
  const advice = "/kit/env: use -[v]S to pass options in shebang lines\n";
  assert.deepEqual(trial([`${refusal}\n`, advice], 127), { passed: "", refusal });
});

test("whatever a command says itself is passed on, in order", () => {
  for (const [pieces, code] of [
    [["/kit/env: x\n"], 0],
    [["/kit/env: x\n", "more"], 127],
    [["/kit/env: x"], 127],
    [["/kit", " and so on"], 126],
    [["x".repeat(10)], 127],
    [[], 127],
    [[`/kit/env: ${"x".repeat(9000)}`, "\n"], 127],
  ] as const)
    assert.deepEqual(trial(pieces, code), { passed: pieces.join(""), refusal: undefined });
});
