import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { checkJsonPatchFields, checkMergePatchBody } from "./decode.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

test("untouched parts are shared with the document", () => {
  const document = { kept: { deep: [1] }, changed: { deep: [1] } };
  const result = applyJsonPatch(document, [{ op: "add", path: "/changed/deep/-", value: 2 }]) as typeof document;
  assert.deepEqual(result, { kept: { deep: [1] }, changed: { deep: [1, 2] } });
  assert.equal(result.kept, document.kept);
  assert.deepEqual(document.changed.deep, [1]);
  const merged = applyMergePatch(document, { changed: { deep: [1] } }) as typeof document;
  assert.equal(merged.kept, document.kept);
  assert.equal(applyMergePatch(document, { gone: null }), document);
});

test("a copy is a copy: writing to it does not change what it was copied from", () => {
  const patch = [
    { op: "add", path: "/a/x", value: 0 },
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/a/x", value: 1 },
    { op: "add", path: "/b/y", value: 2 },
  ];
  assert.deepEqual(applyJsonPatch({ a: {} }, patch), { a: { x: 1 }, b: { x: 0, y: 2 } });
});

test("a key called __proto__ is a key like any other", () => {
  const document = JSON.parse('{"a":1}') as Json;
  const result = applyJsonPatch(document, [{ op: "add", path: "/__proto__", value: { bad: true } }]);
  assert.equal(JSON.stringify(result), '{"a":1,"__proto__":{"bad":true}}');
  assert.equal(({} as { bad?: boolean }).bad, undefined);
});

test("the limits of kube-apiserver hold", () => {
  const tooMany = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: 1 }));
  const sentence = "TooLarge: The allowed maximum operations in a JSON patch is 10000, got 10001";
  assert.equal(
    refusal(() => applyJsonPatch({ a: 1 }, tooMany)),
    sentence,
  );
  const doubling = Array.from({ length: 24 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
  assert.match(
    refusal(() => applyJsonPatch({ a: ["x"] }, doubling)),
    /^Unprocessable: Unable to complete the copy, .*3145728$/,
  );
});

test("invalid patches get the errors of kube-apiserver", () => {
  const start = "BadRequest: error decoding patch: json: cannot unmarshal";
  const cases: readonly (readonly [Json, string])[] = [
    [{}, `${start} object into Go value of type []handlers.jsonPatchOp`],
    ["x", `${start} string into Go value of type []handlers.jsonPatchOp`],
    [[1], `${start} number into Go value of type handlers.jsonPatchOp`],
    [[{ op: 1 }], `${start} number into Go struct field jsonPatchOp.op of type string`],
    [[{ op: "add", path: 3 }], `${start} number into Go struct field jsonPatchOp.path of type string`],
    [null, "accepted"],
  ];
  for (const [patch, expected] of cases)
    assert.equal(
      refusal(() => checkJsonPatchFields(patch)),
      expected,
    );
  const unknown = checkJsonPatchFields([{ op: "test", path: "/a", value: "1", foo: 1, bar: 2 }]);
  assert.deepEqual(unknown, ["[0].foo", "[0].bar"]);
  const map = "into Go value of type map[string]interface {}";
  assert.equal(
    refusal(() => checkMergePatchBody([], "merge")),
    `${start} array ${map}`,
  );
  assert.equal(
    refusal(() => checkMergePatchBody([], "strategic")),
    `BadRequest: json: cannot unmarshal array ${map}`,
  );
  assert.equal(
    refusal(() => applyMergePatch({}, 3)),
    "BadRequest: Invalid JSON Patch",
  );
  assert.equal(
    refusal(() => applyMergePatch({}, null)),
    "BadRequest: Invalid JSON Patch",
  );
});
