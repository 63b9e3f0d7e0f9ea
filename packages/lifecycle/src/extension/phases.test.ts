/** Tests of the order of a roll-out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toPhases } from "./phases.ts";

const object = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });

test("objects go through the phases in order, unknown kinds with the deployments", () => {
  const phases = toPhases([
    object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w"),
    object("apps/v1", "Deployment", "d"),
    object("example.com/v1", "Service", "foreign"),
    object("v1", "Service", "s"),
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "c"),
    object("v1", "ServiceAccount", "a"),
  ]);
  assert.deepEqual(
    phases.map(({ name, objects }) => [name, objects.map(({ metadata }) => metadata.name)]),
    [
      ["identity", ["a"]],
      ["crds", ["c"]],
      ["infrastructure", ["s"]],
      ["deploy", ["d", "foreign"]],
      ["admission", ["w"]],
    ],
  );
});

test("the order of the input does not count", () => {
  const objects = ["b", "a", "c"].map((name) => object("v1", "ConfigMap", name));
  assert.deepEqual(toPhases(objects), toPhases(objects.toReversed()));
});
