import assert from "node:assert/strict";
import { test } from "node:test";
import { limitedVolumes, outgrown } from "./sizes.ts";

const spec = {
  containers: [{ name: "c" }],
  volumes: [
    { name: "free", emptyDir: {} },
    { name: "zero", emptyDir: { sizeLimit: "0" } },
    { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
    { name: "small", emptyDir: { sizeLimit: "1Ki" } },
    { name: "large", emptyDir: { sizeLimit: "1Gi" } },
  ],
};

test("only folders on disk with a limit are measured, and none of a pod that nobody may evict", () => {
  assert.deepEqual(
    limitedVolumes(spec).map(({ name }) => name),
    ["small", "large"],
  );
  assert.deepEqual(limitedVolumes({ ...spec, priority: 2_000_000_000 }), []);
});

test("a volume that holds more than it may is told in the kubelet's words", () => {
  const volumes = limitedVolumes(spec);
  const fits = new Map([["small", 1024n]]);
  assert.equal(outgrown(volumes, fits), undefined);
  const over = new Map([["small", 1025n]]);
  assert.equal(outgrown(volumes, over), 'Usage of EmptyDir volume "small" exceeds the limit "1Ki". ');
});
