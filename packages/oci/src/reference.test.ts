import assert from "node:assert/strict";
import { test } from "node:test";
import { OciError } from "./errors.ts";
import { formatReference, parseReference } from "./reference.ts";

const digest = `sha256:${"a".repeat(64)}`;
const names: readonly (readonly [string, string])[] = [
  ["memcached", "docker.io/library/memcached:latest"],
  ["memcached:1.6", "docker.io/library/memcached:1.6"],
  ["team/app", "docker.io/team/app:latest"],
  ["localhost/app", "localhost/app:latest"],
  ["localhost:5000/app:v1", "localhost:5000/app:v1"],
  ["registry.example.com/a/b_c/d-e:x", "registry.example.com/a/b_c/d-e:x"],
  [`registry.k8s.io/pause@${digest}`, `registry.k8s.io/pause@${digest}`],
  [`app:v1@${digest}`, `docker.io/library/app:v1@${digest}`],
  ["index.docker.io/app", "docker.io/library/app:latest"],
];

for (const [text, full] of names) {
  test(`${text} is ${full}`, () => assert.equal(formatReference(parseReference(text)), full));
}

for (const text of ["", "UPPER", "a//b", "a:b:c", "a@sha256:12", "a:", "-a", `a@${digest}@${digest}`, "a b"]) {
  test(`${JSON.stringify(text)} is not a reference`, () => {
    assert.throws(
      () => parseReference(text),
      (error) => error instanceof OciError && error.code === "BadReference",
    );
  });
}
