import assert from "node:assert/strict";
import { test } from "node:test";
import { needsOfText } from "./needs.ts";

test("a file needs what the functions that it imports start", () => {
  const text = `import {\n  buildTestImages,\n  useKubernetes,\n} from "@capstan/kubernetes";`;
  assert.deepEqual(needsOfText(text), ["kubernetes", "images"]);
});

test("types and other packages are not needs", () => {
  assert.deepEqual(needsOfText(`import type { TestCluster } from "@capstan/kubernetes";`), []);
  assert.deepEqual(needsOfText(`import { useKubernetes } from "./other.ts";`), []);
});
