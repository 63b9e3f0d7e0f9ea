import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { parse } from "yaml";
import { readProgram } from "./program.ts";
import { patchSchemas } from "./schema-patch.ts";

const Widget = defineResource({
  group: "example.com",
  kind: "Widget",
  versions: {
    v1: { spec: s.object({ size: s.int32().min(1) }), storage: true },
    v2: { spec: s.object({ size: s.int32() }) },
  },
  convert: { "v1->v2": (spec) => spec, "v2->v1": (spec) => spec },
});
const program = readProgram([Widget], { name: "widgets" });

const file = `# Kept by hand.
apiVersion: v1
kind: ConfigMap
metadata: { name: beside }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations:
    team: ours # ask them first
spec:
  group: example.com
  versions:
    - name: v0
      schema: { openAPIV3Schema: { type: object } }
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{ name: Mine, type: string, jsonPath: .spec.mine }]
`;

test("a schema goes into the CRD, and everything else stays as it was", () => {
  const { text, patched, lacking } = patchSchemas(file, program);
  assert.deepEqual([patched, lacking], [["widgets.example.com/v1"], ["widgets.example.com/v2"]]);
  for (const kept of ["# Kept by hand.\n", "metadata: { name: beside }\n---\n", "team: ours # ask them first\n"])
    assert.ok(text.includes(kept), `${kept} in\n${text}`);
  const crd = parse(text.split("\n---\n")[1] ?? "") as { spec: { versions: readonly { schema: object }[] } };
  const [old, patchedVersion] = crd.spec.versions;
  assert.deepEqual(old?.schema, { openAPIV3Schema: { type: "object" } });
  assert.deepEqual(patchedVersion, {
    name: "v1",
    served: true,
    storage: true,
    additionalPrinterColumns: [{ name: "Mine", type: "string", jsonPath: ".spec.mine" }],
    schema: Widget.toCrd().spec.versions[0]?.schema,
  });
  assert.equal(patchSchemas(text, program).text, text);
});

test("foreign content is not changed", () => {
  const other = file.replaceAll("widgets.example.com", "gadgets.example.com");
  assert.deepEqual(patchSchemas(other, program), { text: other, patched: [], lacking: [] });
  assert.deepEqual(patchSchemas("", program), { text: "", patched: [], lacking: [] });
  assert.throws(() => patchSchemas("a: [", program), { code: "BadCrd" });
});
