/** Tests of references by digest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalReference } from "./reference.ts";

test("the tag of a reference gives way to the digest", () => {
  const digest = "sha256:abc";
  assert.equal(canonicalReference("quay.io/a/b:1", digest), "quay.io/a/b@sha256:abc");
  assert.equal(canonicalReference("localhost:5000/a/b:1", digest), "localhost:5000/a/b@sha256:abc");
  assert.equal(canonicalReference("a/b", digest), "docker.io/a/b@sha256:abc");
  assert.equal(canonicalReference("b:1", digest), "docker.io/library/b@sha256:abc");
  assert.equal(canonicalReference("quay.io/a/b@sha256:own", undefined), "quay.io/a/b@sha256:own");
});
