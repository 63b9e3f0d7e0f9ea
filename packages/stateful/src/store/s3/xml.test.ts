import assert from "node:assert/strict";
import { test } from "node:test";
import { elementsOf, textOf } from "./xml.ts";

test("elements are found by their whole name, with escaped text", () => {
  const xml =
    '<List xmlns="x"><Contents><Key>a&amp;b&#x41;&#66;</Key></Contents><ContentsX/><Contents>2</Contents></List>';
  assert.deepEqual(elementsOf(xml, "Contents"), ["<Key>a&amp;b&#x41;&#66;</Key>", "2"]);
  assert.equal(textOf(xml, "Key"), "a&bAB");
  assert.equal(textOf(xml, "Size"), undefined);
  assert.equal(textOf("<Key></Key>", "Key"), "");
});

test("references to characters that do not exist stay as they are", () => {
  assert.equal(textOf("<Key>&#x110000;&#99999999999;&nope;</Key>", "Key"), "&#x110000;&#99999999999;&nope;");
});

test("elements that never end are looked at once", () => {
  // Quadratic work on these would take minutes.
  for (const part of ["<Contents>", "<Contents ", "</Contents>", "<Content"]) {
    assert.deepEqual(elementsOf(part.repeat(1_000_000), "Contents"), []);
  }
});
