/** Tests of writing blobs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "../decode/yaml.ts";
import { formatBlob } from "./write.ts";

test("texts that YAML could take for something else come back as they are", () => {
  const texts = [
    "yes",
    "1e3",
    "0o7",
    "012",
    "1:20",
    "2001-01-01",
    "~",
    "",
    " x",
    "a: b",
    "a\u2028b",
    "\u0085",
    "a\n\n",
  ];
  const written = formatBlob({ texts }, "yaml");
  assert.match(written, /"0o7"/, "Go's library reads it as 7 without quotes");
  assert.match(written, /"a\\u2028b"/);
  assert.deepEqual(parseYaml(written), { ok: true, value: { texts } });
});

test("JSON escapes the line separators as Go does", () => {
  assert.equal(formatBlob({ a: "\u2028<" }, "json"), '{\n    "a": "\\u2028<"\n}\n');
});
