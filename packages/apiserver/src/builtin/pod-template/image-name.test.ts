import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultPullPolicy, parseImageName } from "./image-name.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("an image without a tag has the tag latest", () => {
  for (const image of ["nginx", "library/nginx", "localhost/x", "registry.example:5000/a/b", "[::1]:5000/x"]) {
    assert.equal(parseImageName(image)?.tag, "latest", image);
    assert.equal(defaultPullPolicy(image), "Always", image);
  }
});

test("an image with a tag or digest is pulled if not present", () => {
  for (const image of ["nginx:1", `nginx@${digest}`, `nginx:1@${digest}`, "registry.example:5000/a/b:v1"]) {
    assert.equal(defaultPullPolicy(image), "IfNotPresent", image);
  }
  assert.equal(defaultPullPolicy(`nginx:latest@${digest}`), "Always");
});

test("an invalid image name is pulled if not present", () => {
  for (const image of [
    "",
    "Nginx",
    " nginx",
    "a".repeat(64),
    "nginx@sha256:abc",
    "x//y",
    "nginx:",
    `x/${"a".repeat(256)}`,
  ]) {
    assert.equal(parseImageName(image), undefined, image);
    assert.equal(defaultPullPolicy(image), "IfNotPresent", image);
  }
});
