import assert from "node:assert/strict";
import { test } from "node:test";
import { internalDiff, toInternal, toInternalList } from "./internal-form.ts";

test("values contain every field under its Go name", () => {
  assert.deepEqual(toInternal("Taint", { key: "a", effect: "NoSchedule" }), {
    Key: "a",
    Value: "",
    Effect: "NoSchedule",
    TimeAdded: null,
  });
  assert.deepEqual(toInternalList("PodIP", [{ ip: "1.2.3.4" }]), [{ IP: "1.2.3.4" }]);
  assert.equal(toInternalList("PodIP", undefined), null);
});

test("the security context of a pod holds the host namespaces", () => {
  const spec = toInternal("PodSpec", { containers: null, hostNetwork: true, hostUsers: false, securityContext: {} });
  const context = (spec as { SecurityContext: { [field: string]: unknown } }).SecurityContext;
  assert.equal(context["HostNetwork"], true);
  assert.equal(context["HostPID"], false);
  assert.equal(context["HostUsers"], false);
  assert.equal(context["ShareProcessNamespace"], null);
});

test("differences have the format of kube-apiserver", () => {
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
