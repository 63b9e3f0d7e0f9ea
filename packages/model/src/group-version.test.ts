import assert from "node:assert/strict";
import { test } from "node:test";
import { formatApiVersion, formatGroupResource, kindOf, parseApiVersion, parseGroupResource } from "./group-version.ts";
import { ParseError } from "./parse-error.ts";

test("the core group has no name in an apiVersion", () => {
  assert.deepEqual(parseApiVersion("v1"), { group: "", version: "v1" });
  assert.deepEqual(parseApiVersion("apps/v1"), { group: "apps", version: "v1" });
  assert.deepEqual(parseApiVersion(""), { group: "", version: "" });
  for (const text of ["v1", "apps/v1"]) assert.equal(formatApiVersion(parseApiVersion(text)), text);
});

test("an apiVersion with two slashes is rejected", () => {
  const message = "unexpected GroupVersion string: a/b/c";
  assert.throws(() => parseApiVersion("a/b/c"), new ParseError("InvalidApiVersion", "a/b/c", message));
});

test("the group, version and kind of an object are parsed", () => {
  assert.deepEqual(kindOf({ apiVersion: "apps/v1", kind: "Deployment" }), {
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
});

test("the first dot ends the name of a resource", () => {
  assert.deepEqual(parseGroupResource("roles.rbac.authorization.k8s.io"), {
    group: "rbac.authorization.k8s.io",
    resource: "roles",
  });
  assert.equal(formatGroupResource(parseGroupResource("pods")), "pods");
});
