import assert from "node:assert/strict";
import { test } from "node:test";
import { toGoJson } from "./go-text.ts";

test("numeric keys have the position of Go's maps", () => {
  const data = JSON.parse('{"9":"","10":"","a":1,"-":[{"2":1,"10":2}],".x":12345678901234567890}') as object;
  assert.equal(
    toGoJson({ kind: "K", data: { ...data, big: 2n ** 60n } }),
    '{"kind":"K","data":{"-":[{"10":2,"2":1}],".x":12345678901234567000,"10":"","9":"","a":1,"big":1152921504606846976}}',
  );
  assert.equal(toGoJson({ "2": 1, "10": "<" }, 2), '{\n  "10": "\\u003c",\n  "2": 1\n}');
});
