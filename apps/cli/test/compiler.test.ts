import assert from "node:assert/strict";
import { test } from "node:test";
import { compilerErrors } from "./compiler.ts";

test("a compiler that does not start, or names no file, does not count as success", () => {
  const missing = Object.assign(new Error("spawn tsc ENOENT"), { code: "ENOENT", stdout: "" });
  assert.throws(() => compilerErrors(missing), missing);
  const silent = Object.assign(new Error("exit 127"), { code: 127, stdout: "sh: tsc: not found\n" });
  assert.throws(() => compilerErrors(silent), silent);
  const lost = { code: 1, stdout: "error TS5058: The specified path does not exist: 'x'.\n" };
  assert.throws(() => compilerErrors(lost), /looked at no file/);
  const line = "src/a.ts(1,2): error TS2304: Cannot find name 'b'.";
  assert.deepEqual(compilerErrors({ code: 2, stdout: `${line}\n` }), [line]);
});
