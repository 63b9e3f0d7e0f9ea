/** Tests of splitting streams into documents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocuments } from "./stream.ts";

async function read(...parts: readonly (string | Uint8Array)[]): Promise<unknown[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
  }
  return Array.fromAsync(readDocuments(chunks()));
}

test("JSON objects are split wherever the chunks end", async () => {
  const text = '{"a":"}\\"{"}\n\n{"b":[{"c":"ü"}]}{"d":1}';
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++)
    assert.deepEqual(await read(bytes.subarray(0, at), bytes.subarray(at)), [
      { a: '}"{' },
      { b: [{ c: "ü" }] },
      { d: 1 },
    ]);
});

test("YAML documents are split at separators, and empty ones are left out", async () => {
  assert.deepEqual(await read("---\na: 1\n", "---\n---  \nb: |\n  --- x\n--", "-\n{c: 3}\n"), [
    { a: 1 },
    { b: "--- x\n" },
    { c: 3 },
  ]);
});

test("YAML may follow JSON", async () => {
  assert.deepEqual(await read('{"a":1}\n---\nb: 2\n'), [{ a: 1 }, { b: 2 }]);
});

test("an unclosed JSON object and broken documents are rejected", async () => {
  await assert.rejects(read('{"a":1}{"b":'), { code: "Unreadable", message: /unexpected EOF/ });
  await assert.rejects(read("{,}"), { code: "Unreadable" });
  await assert.rejects(read("a: [1\n"), { code: "Unreadable", message: /^error converting YAML to JSON: yaml: / });
});
