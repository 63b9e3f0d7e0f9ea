import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefusalSieve, isRefusalCode } from "./refusal.ts";

function trial(
  pieces: readonly string[],
  code: number,
): { readonly passed: string; readonly refusal: string | undefined } {
  let passed = "";
  const sieve = createRefusalSieve(["bwrap: ", "/kit/env: "], (_channel, bytes) => (passed += bytes.toString("utf8")));
  for (const piece of pieces) sieve.take(2, Buffer.from(piece));
  return { refusal: sieve.end(isRefusalCode(code) ? "/kit/env: " : code === 1 ? "bwrap: " : undefined), passed };
}

test("the error line of a failed exec is not output, however it is chunked", () => {
  const refusal = "/kit/env: 'nosuch': No such file or directory";
  for (const pieces of [[`${refusal}\n`], ["/kit", "/env: 'nosuch': No such", " file or directory", "\r\n"]])
    assert.deepEqual(trial(pieces, 127), { passed: "", refusal });
  const advice = "/kit/env: use -[v]S to pass options in shebang lines\n";
  assert.deepEqual(trial([`${refusal}\n`, advice], 127), { passed: "", refusal });
});

test("the output of a command is passed on in order", () => {
  for (const [pieces, code] of [
    [["/kit/env: x\n"], 0],
    [["/kit/env: x\n", "more"], 127],
    [["/kit/env: x"], 127],
    [["/kit", " and so on"], 126],
    [["x".repeat(10)], 127],
    [[], 127],
    [[`/kit/env: ${"x".repeat(300_000)}`, "\n"], 127],
    [["bwrap: x\n"], 127],
    [["/kit/env: x\n"], 1],
  ] as const)
    assert.deepEqual(trial(pieces, code), { passed: pieces.join(""), refusal: undefined });
});

test("a failed launcher is recognized by its own prefix", () => {
  assert.deepEqual(trial(["bwrap: ", "Can't chdir\n"], 1), { passed: "", refusal: "bwrap: Can't chdir" });
});

test("once the command runs, held output is released and all output passes", () => {
  let passed = "";
  const sieve = createRefusalSieve(["bwrap: "], (_channel, bytes) => (passed += bytes.toString("utf8")));
  sieve.take(2, Buffer.from("bwrap: one\n"));
  assert.equal(passed, "");
  sieve.open();
  assert.equal(passed, "bwrap: one\n");
  sieve.take(2, Buffer.from("bwrap: two\n"));
  assert.equal(sieve.end("bwrap: "), undefined);
  assert.equal(passed, "bwrap: one\nbwrap: two\n");
});
