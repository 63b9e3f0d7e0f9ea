import assert from "node:assert/strict";
import { test } from "node:test";
import { fromGoBytes, toGoJson } from "./go-text.ts";

test("numeric keys have the position of Go's maps", () => {
  const data = JSON.parse('{"9":"","10":"","a":1,"-":[{"2":1,"10":2}],".x":12345678901234567890}') as object;
  assert.equal(
    toGoJson({ kind: "K", data: { ...data, big: 2n ** 60n } }),
    '{"kind":"K","data":{"-":[{"10":2,"2":1}],".x":12345678901234567000,"10":"","9":"","a":1,"big":1152921504606846976}}',
  );
  assert.equal(toGoJson({ "2": 1, "10": "<" }, 2), '{\n  "10": "\\u003c",\n  "2": 1\n}');
});

test("bytes are decoded as UTF-8 where they are, and kept where they are not", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const isOne = (bytes: Uint8Array): boolean => {
    try {
      return /^.$/su.test(strict.decode(bytes));
    } catch {
      return false;
    }
  };
  // Every pair of first bytes, with continuations: the rule is that of a strict decoder.
  for (let first = 0x7f; first <= 0xff; first++) {
    for (let second = 0x7f; second <= 0xc0; second++) {
      for (const rest of [[], [0x80], [0xbf, 0x80], [0x80, 0xc0], [0x41]]) {
        const bytes = Uint8Array.from([first, second, ...rest]);
        const length = [1, 2, 3, 4].find((size) => size <= bytes.length && isOne(bytes.subarray(0, size)));
        const expected =
          length === undefined ? String.fromCharCode(0xdc00 + first) : strict.decode(bytes.subarray(0, length));
        assert.ok(fromGoBytes(bytes).startsWith(expected), bytes.join(" "));
      }
    }
  }
});
