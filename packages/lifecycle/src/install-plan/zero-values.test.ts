import assert from "node:assert/strict";
import { test } from "node:test";
import { withZeroValues } from "./zero-values.ts";

test("required texts that the author left out are empty, and nulls are left out", () => {
  const owned = { name: "foos.example.com", kind: "Foo", version: "v1", resources: [{ kind: "Pod", version: "v1" }] };
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "foo.v1.0.0" },
    spec: {
      customresourcedefinitions: { owned: [owned] },
      icon: [{ base64data: "" }],
      keywords: null,
      installModes: [{ type: "OwnNamespace" }],
      install: {
        strategy: "deployment",
        spec: { deployments: [{ name: "foo", spec: { selector: {}, template: {} } }] },
      },
    },
  };
  const { spec } = withZeroValues(csv) as unknown as { readonly spec: { readonly [field: string]: unknown } };
  assert.deepEqual(spec["customresourcedefinitions"], {
    owned: [{ ...owned, resources: [{ kind: "Pod", version: "v1", name: "" }] }],
  });
  assert.deepEqual(spec["icon"], [{ base64data: "", mediatype: "" }]);
  assert.deepEqual(spec["installModes"], [{ type: "OwnNamespace", supported: false }]);
  assert.equal(spec["displayName"], "");
  assert.ok(!("keywords" in spec));
  assert.deepEqual(spec["install"], csv.spec.install);
});
