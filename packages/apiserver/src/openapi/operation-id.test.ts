import assert from "node:assert/strict";
import { test } from "node:test";
import { toOperationWord } from "./operation-id.ts";

test("punctuation is removed and the next word is capitalized", () => {
  assert.equal(toOperationWord("crd-publish.example.com", false), "crdPublishExampleCom");
  assert.equal(toOperationWord("crd-publish.example.com", true), "CrdPublishExampleCom");
  assert.equal(toOperationWord("e2e-test-4-crd", true), "E2eTest4Crd");
  assert.equal(toOperationWord("v1alpha1", true), "V1alpha1");
});

test("one leading digit is removed, others are kept", () => {
  assert.equal(toOperationWord("3scale.net", false), "ScaleNet");
  assert.equal(toOperationWord("a.3b", false), "a3b");
  assert.equal(toOperationWord("33a", false), "3a");
});
