import assert from "node:assert/strict";
import { test } from "node:test";
import { readYamlDocument, readYamlDocuments } from "./documents.ts";

/** Each text with the value that sigs.k8s.io/yaml v1.6.0 reads from it. */
for (const [what, text, value] of [
  [
    "a quoted scalar goes on in the column of its key",
    "a:\n  b: 'one\n  two'\n  c: 1\n",
    { a: { b: "one two", c: 1 } },
  ],
  [
    "a quoted scalar goes on in the first column",
    'a:\n  b: "one\ntwo\n\nthree"\n  c: 1\n',
    { a: { b: "one two\nthree", c: 1 } },
  ],
  ["a quoted scalar in a list goes on beside its dash", "a:\n  - 'it''s\n  so'\n  - z\n", { a: ["it's so", "z"] }],
  ["lines may end with a carriage return", "a:\n  b: 'x\r\n  y'\r\n  c: 1\r\n", { a: { b: "x y", c: 1 } }],
  [
    "a flow map goes on in the first column",
    "a:\n  b: {\nx: 1,\nz: 'p\nq' }\n  c: 1\n",
    { a: { b: { x: 1, z: "p q" }, c: 1 } },
  ],
  [
    "a flow sequence goes on in the first column",
    "a:\n  b: [\n1,\n  2\n]\n  c: [3,\n# no\n4]\nd: 5\n",
    { a: { b: [1, 2], c: [3, 4] }, d: 5 },
  ],
  [
    "a plain scalar in a flow map goes on in the first column",
    "a:\n  b: {c: plain\ntext}\n",
    { a: { b: { c: "plain text" } } },
  ],
] as const) {
  test(`${what}, as in Go`, () => {
    const documents = readYamlDocuments(text);
    assert.deepEqual(
      documents.flatMap(({ errors }) => errors),
      [],
    );
    assert.deepEqual(
      documents.map((document) => document.toJS() as unknown),
      [value],
    );
  });
}

/** Texts that sigs.k8s.io/yaml v1.6.0 refuses. */
for (const [what, text, message] of [
  ["a plain scalar in the column of its key", "a:\n  b: plain\n  text\n", /^Implicit map keys .* at line 3, column 3$/],
  ["a quoted scalar without an end", "a:\n  b: 'x\n  c: 1\n", /^Missing closing 'quote at line 4, column 1$/],
  ["a quoted scalar across documents", "a: 'x\n---\ny'\n", /^Missing closing 'quote at line 1, column 6$/],
  ["a key of two lines", "a:\n  'k\n  l': 1\n", /^Implicit keys need to be on a single line at line 2, column 3$/],
  ["a flow sequence without an end", "a:\n  b: [1, 2\nc: 3\n", / at line 2, column 10$/],
] as const) {
  test(`${what} is an error, as in Go`, () => {
    assert.match(readYamlDocument(text).errors[0]?.message ?? "no error", message);
  });
}

test("an empty text has no documents, and an empty first one", () => {
  assert.deepEqual(readYamlDocuments(""), []);
  assert.equal(readYamlDocument("").contents, null);
});

test("documents are told apart", () => {
  assert.deepEqual(
    readYamlDocuments("a: 1\n---\nb: 'x\ny'\n").map((document) => document.toJS() as unknown),
    [{ a: 1 }, { b: "x y" }],
  );
});
