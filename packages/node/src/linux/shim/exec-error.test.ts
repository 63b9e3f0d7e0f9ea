import assert from "node:assert/strict";
import { test } from "node:test";
import { createExecErrorFilter, isExecErrorCode } from "./exec-error.ts";

function trial(
  pieces: readonly string[],
  code: number,
): { readonly passed: string; readonly execErrorPrefix: string | undefined } {
  let passed = "";
  const filter = createExecErrorFilter(
    ["bwrap: ", "/kit/env: "],
    (_channel, bytes) => (passed += bytes.toString("utf8")),
  );
  for (const piece of pieces) filter.take(2, Buffer.from(piece));
  return {
    execErrorPrefix: filter.end(isExecErrorCode(code) ? "/kit/env: " : code === 1 ? "bwrap: " : undefined),
    passed,
  };
}

test("the error line of a failed exec is not output, however it is chunked", () => {
  const execErrorPrefix = "/kit/env: 'nosuch': No such file or directory";
  for (const pieces of [[`${execErrorPrefix}\n`], ["/kit", "/env: 'nosuch': No such", " file or directory", "\r\n"]])
    assert.deepEqual(trial(pieces, 127), { passed: "", execErrorPrefix });
  const advice = "/kit/env: use -[v]S to pass options in shebang lines\n";
  assert.deepEqual(trial([`${execErrorPrefix}\n`, advice], 127), { passed: "", execErrorPrefix });
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
    assert.deepEqual(trial(pieces, code), { passed: pieces.join(""), execErrorPrefix: undefined });
});

test("a failed launcher is recognized by its own prefix", () => {
  assert.deepEqual(trial(["bwrap: ", "Can't chdir\n"], 1), { passed: "", execErrorPrefix: "bwrap: Can't chdir" });
});

test("once the command runs, held output is released and all output passes", () => {
  let passed = "";
  const filter = createExecErrorFilter(["bwrap: "], (_channel, bytes) => (passed += bytes.toString("utf8")));
  filter.take(2, Buffer.from("bwrap: one\n"));
  assert.equal(passed, "");
  filter.open();
  assert.equal(passed, "bwrap: one\n");
  filter.take(2, Buffer.from("bwrap: two\n"));
  assert.equal(filter.end("bwrap: "), undefined);
  assert.equal(passed, "bwrap: one\nbwrap: two\n");
});
