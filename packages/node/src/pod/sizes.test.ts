import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, PodSpec } from "@capstan/kinds/v1";
import { isLimited, outgrown, type DiskUse } from "./sizes.ts";

const container = (name: string, limit?: string, more: Partial<Container> = {}): Container => ({
  name,
  ...(limit === undefined ? {} : { resources: { limits: { "ephemeral-storage": limit } } }),
  ...more,
});
const using = (containers: { readonly [name: string]: number }, volumes: { readonly [name: string]: number } = {}) =>
  ({
    containers: new Map(Object.entries(containers).map(([name, bytes]) => [name, BigInt(bytes)])),
    volumes: new Map(Object.entries(volumes).map(([name, bytes]) => [name, BigInt(bytes)])),
  }) satisfies DiskUse;
const folders: PodSpec = {
  containers: [container("c")],
  volumes: [
    { name: "free", emptyDir: {} },
    { name: "zero", emptyDir: { sizeLimit: "0" } },
    { name: "small", emptyDir: { sizeLimit: "1Ki" } },
    { name: "large", emptyDir: { sizeLimit: "1Gi" } },
  ],
};

test("only pods with a disk limit are measured, and no critical pods", () => {
  assert.equal(isLimited(folders), true);
  assert.equal(isLimited({ ...folders, priority: 2_000_000_000 }), false);
  assert.equal(isLimited({ containers: [container("c")] }), false);
  const memory = { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
  assert.equal(isLimited({ containers: [container("c")], volumes: [memory] }), false);
  assert.equal(isLimited({ containers: [container("c", "1Gi")] }), true);
});

test("a volume over its size limit is reported in the kubelet's words", () => {
  assert.equal(outgrown(folders, using({}, { small: 1024, zero: 5 })), undefined);
  const message = 'Usage of EmptyDir volume "small" exceeds the limit "1Ki". ';
  assert.equal(outgrown(folders, using({}, { small: 1025 })), message);
});

test("disk limits apply to the pod as a sum and to each container", () => {
  const spec = { containers: [container("a", "1Ki"), container("b", "2Ki"), container("free")] };
  assert.equal(outgrown(spec, using({ a: 1024, b: 2048 })), undefined);
  const whole = "Pod ephemeral local storage usage exceeds the total limit of containers 3Ki. ";
  assert.equal(outgrown(spec, using({ a: 1024, b: 1024, free: 500 }, { folder: 1000 })), whole);
  const part = 'Container a exceeded its local ephemeral storage limit "1Ki". ';
  assert.equal(outgrown(spec, using({ a: 1025, b: 0 })), part);
});

test("the limit of an init container counts if it exceeds the later ones", () => {
  const spec = { initContainers: [container("i", "9Ki")], containers: [container("a", "1Ki")] };
  assert.equal(outgrown(spec, using({ a: 1000 }, { folder: 8000 })), undefined);
  const message = "Pod ephemeral local storage usage exceeds the total limit of containers 9Ki. ";
  assert.equal(outgrown(spec, using({ a: 1000 }, { folder: 9000 })), message);
});
