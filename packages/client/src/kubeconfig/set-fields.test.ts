import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../error/config-error.ts";
import { setFields } from "./set-fields.ts";

const path = ["users", 0, "config"];
const token = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln";

const cases: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    "a plain text, with the comments and the order around it",
    "# mine\nusers:\n- config: # of me\n    b: 2   # two\n    t: old # stays\n    a: 'x'\nother:   {z: 1,  y: 2}\n",
    `# mine\nusers:\n- config: # of me\n    b: 2   # two\n    t: ${token} # stays\n    a: 'x'\nother:   {z: 1,  y: 2}\n`,
  ],
  [
    "a quoted text",
    `users:\n  - config:\n      t: "old: #1"\n      a: x\n`,
    `users:\n  - config:\n      t: ${token}\n      a: x\n`,
  ],
  [
    "a block of lines",
    "users:\n- config:\n    t: >-\n      one\n      two\n    a: x\n",
    `users:\n- config:\n    t: ${token}\n    a: x\n`,
  ],
  ["nothing", "users:\n- config:\n    t:\n    a: x\n", `users:\n- config:\n    t: ${token}\n    a: x\n`],
  [
    "nothing but a comment",
    "users:\n- config:\n    t: # none\n    a: x\n",
    `users:\n- config:\n    t: ${token} # none\n    a: x\n`,
  ],
  [
    "a field that is not there",
    "users:\n- config:\n    a: x # last\n    # more\n",
    `users:\n- config:\n    t: ${token}\n    a: x # last\n    # more\n`,
  ],
  [
    "a field that is not there, between lines that end as on Windows",
    "users:\r\n- config:\r\n    a: x\r\n",
    `users:\r\n- config:\r\n    t: ${token}\r\n    a: x\r\n`,
  ],
  [
    "JSON",
    '{\n\t"users": [{ "config": {"t":"old", "a":"x"} }]\n}',
    `{\n\t"users": [{ "config": {"t": "${token}", "a":"x"} }]\n}`,
  ],
  ["JSON without the field", '{"users":[{"config":{"a":"x"}}]}', `{"users":[{"config":{"t": "${token}", "a":"x"}}]}`],
  ["an alias", "k: &k old\nusers:\n- config:\n    t: *k\n", `k: &k old\nusers:\n- config:\n    t: ${token}\n`],
  [
    "letters of every kind",
    "ü: 𝛼 # 王\nusers: [{config: {t: é}}]\n",
    `ü: 𝛼 # 王\nusers: [{config: {t: "${token}"}}]\n`,
  ],
];

for (const [name, before, after] of cases) {
  test(`a string replaces ${name}, and nothing else changes`, async () => {
    assert.equal(await setFields(before, path, { t: token }), after);
  });
}

test("several fields are set at once, some of them new", async () => {
  const before = "users:\n- config:\n    a: x\n    t: old\n    r: old\n";
  const after = `users:\n- config:\n    n: ${token}\n    a: x\n    t: ${token}\n    r: "2"\n`;
  assert.equal(await setFields(before, path, { t: token, r: "2", n: token }), after);
});

for (const value of ["true", "007", "2026-01-01", "a: b", "# no", "1:30", "", "*x", "line\nline", `"'\\`, "\u2028é"]) {
  test(`a token is read back as the same string: ${JSON.stringify(value)}`, async () => {
    const { parse } = await import("yaml");
    for (const before of ["users:\n- config:\n    t: old\n", '{"users":[{"config":{"t":"old"}}]}']) {
      const edited = await setFields(before, path, { t: value });
      assert.deepEqual(parse(edited, { version: "1.1" }), { users: [{ config: { t: value } }] });
    }
  });
}

const shared = {
  "the mapping of another entry": "base: &base\n  t: old\nusers:\n- config: *base\n",
  "a text that others refer to": "users:\n- config:\n    t: &t old\nother: *t\n",
  "a mapping that others refer to": "users:\n- config: &c\n    t: old\n- config: *c\n",
};

for (const [name, text] of Object.entries(shared)) {
  test(`an edit that would change something else fails: ${name}`, async () => {
    await assert.rejects(
      setFields(text, path, { t: token }),
      (error) => error instanceof ConfigError && error.problem === "Unwritable",
    );
  });
}
