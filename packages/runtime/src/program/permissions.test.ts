import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../define.ts";
import { missingRules, neededRules } from "./permissions.ts";

const Widget = defineResource({ group: "example.com", version: "v1", kind: "Widget", spec: s.object({}) });
const widget = controller(Widget, { owns: [Deployment], reads: [ConfigMap] }, () => undefined);

test("missing rules are the declared ones that are not granted, verb by verb", () => {
  const needed = neededRules({ name: "test", controllers: [widget] });
  assert.deepEqual(missingRules(needed, [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]), []);
  const granted = [
    { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: ["*"], resources: ["*/status"], verbs: ["patch"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch", "create"] },
    { apiGroups: ["apps"], resources: ["configmaps"], verbs: ["*"] },
  ];
  assert.deepEqual(missingRules(needed, granted), [
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["patch", "delete"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  ]);
});

test("pauseByNamespace requires the permission to watch namespaces", () => {
  const missing = (pauseByNamespace: boolean) =>
    missingRules(neededRules({ name: "test", controllers: [], pauseByNamespace }), [
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["*"] },
    ]);
  assert.deepEqual(missing(false), []);
  assert.deepEqual(missing(true), [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] }]);
});
