import assert from "node:assert/strict";
import { test } from "node:test";
import { internalDiff, toInternal, toInternalList } from "./internal-form.ts";

test("values show every field under Go's names", () => {
  assert.deepEqual(toInternal("Taint", { key: "a", effect: "NoSchedule" }), {
    Key: "a",
    Value: "",
    Effect: "NoSchedule",
    TimeAdded: null,
  });
  assert.deepEqual(toInternalList("PodIP", [{ ip: "1.2.3.4" }]), [{ IP: "1.2.3.4" }]);
  assert.equal(toInternalList("PodIP", undefined), null);
});

test("a pod keeps the host's namespaces in its security context", () => {
  const spec = toInternal("PodSpec", { containers: null, hostNetwork: true, hostUsers: false, securityContext: {} });
  const context = (spec as { SecurityContext: { [field: string]: unknown } }).SecurityContext;
  assert.equal(context["HostNetwork"], true);
  assert.equal(context["HostPID"], false);
  assert.equal(context["HostUsers"], false);
  assert.equal(context["ShareProcessNamespace"], null);
});

test("differences read as the real server writes them", () => {
  const diff = internalDiff(
    "PersistentVolumeSource",
    { hostPath: { path: "/x", type: "" } },
    { hostPath: { path: "/y", type: "" } },
  );
  assert.equal(
    diff,
    '@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/x",\n+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
  );
});
