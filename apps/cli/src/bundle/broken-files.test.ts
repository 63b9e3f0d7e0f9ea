import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenFiles } from "./broken-files.ts";

const named = (text: string): string[] =>
  brokenFiles(new Map([["metadata/annotations.yaml", new TextEncoder().encode(text)]]));

test("files that cannot be read are named, each with its reason", () => {
  assert.deepEqual(named("annotations:\n  a: &x one\n  b: *x\n  c: '*'\n"), []);
  assert.match(
    named("annotations: {")[0] ?? "",
    /^metadata\/annotations\.yaml cannot be read, it may have been cut short/,
  );
  const levels = Array.from(
    { length: 12 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(", ")}]`,
  );
  const bomb = ["l0: &l0 [x]", ...levels].join("\n");
  assert.match(named(bomb)[0] ?? "", /^cannot read metadata\/annotations\.yaml: .*alias/i);
});
