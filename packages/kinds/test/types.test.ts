/** The types of the built-in kinds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment, type DeploymentApply } from "@capstan/kinds/apps/v1";
import type { LabelSelector } from "@capstan/kinds/meta/v1";
import { NetworkPolicy } from "@capstan/kinds/networking.k8s.io/v1";
import { Namespace, Pod, type PodApply } from "@capstan/kinds/v1";
import type { ApplyOf, Kind, ObjectOf, StoredMeta } from "@capstan/model";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Holds when the compiler accepts the argument. */
function holds<_T extends true>(): void {
  assert.ok(true);
}

test("a kind is a small frozen value", () => {
  const value = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", scope: "Namespaced" };
  assert.deepEqual(Deployment, value);
  assert.ok(Object.isFrozen(Deployment));
  assert.deepEqual(NetworkPolicy.group, "networking.k8s.io");
  assert.equal(Namespace.scope, "Cluster");
});

test("the value and the type have one name, and the value carries the type", () => {
  holds<Same<ObjectOf<typeof Deployment>, Deployment>>();
  holds<Same<ApplyOf<typeof Deployment>, DeploymentApply>>();
  holds<Same<(typeof Pod)["scope"], "Namespaced">>();
  holds<Same<Pod["metadata"], StoredMeta>>();
  holds<Same<Pod["kind"], "Pod">>();
  const kinds: readonly Kind[] = [Deployment, Pod, Namespace];
  assert.equal(kinds.length, 3);
});

test("read objects are deeply readonly", () => {
  const change = (deployment: Deployment): void => {
    // @ts-expect-error: objects from the server are readonly
    deployment.metadata = { ...deployment.metadata };
    // @ts-expect-error: and so are the lists in them
    deployment.spec?.template.spec?.containers.push({ name: "c" });
  };
  assert.equal(typeof change, "function");
});

test("applied objects are partial, except for the keys of lists", () => {
  const apply: DeploymentApply = { spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } } } };
  const ports: PodApply = { spec: { containers: [{ name: "c", ports: [{ containerPort: 80 }] }] } };
  // @ts-expect-error: a container is told from others by its name
  const nameless: PodApply = { spec: { containers: [{ image: "i" }] } };
  // @ts-expect-error: there is no such field
  const misspelt: DeploymentApply = { spec: { replica: 3 } };
  // @ts-expect-error: there is no such policy
  const policy: PodApply = { spec: { restartPolicy: "Sometimes" } };
  const quantity: PodApply = { spec: { containers: [{ name: "c", resources: { limits: { cpu: 1 } } }] } };
  const selector: LabelSelector = { matchLabels: { app: "web" } };
  assert.equal([apply, ports, nameless, misspelt, policy, quantity, selector].length, 7);
});
