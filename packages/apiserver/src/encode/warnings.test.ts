import assert from "node:assert/strict";
import { test } from "node:test";
import { warningHeaders } from "./warnings.ts";

test("quotes are escaped, and other characters than ASCII are sent as bytes", () => {
  assert.deepEqual(warningHeaders(['a "b" \\', "ü"]), ['299 - "a \\"b\\" \\\\"', '299 - "\u00c3\u00bc"']);
});

test("warnings that a header cannot contain are dropped", () => {
  assert.deepEqual(warningHeaders(["a\nb", "", "tab\t", "\u0085", "fine"]), ['299 - "fine"']);
});

test("warnings are truncated only if they are too long together", () => {
  const long = "x".repeat(4000);
  assert.deepEqual(warningHeaders([long]), [`299 - "${long}"`]);
  assert.deepEqual(warningHeaders([long, "y".repeat(300)]), [
    `299 - "${"x".repeat(256)}"`,
    `299 - "${"y".repeat(256)}"`,
  ]);
  const many = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(300, "z"));
  assert.equal(warningHeaders(many).length, 16);
});
