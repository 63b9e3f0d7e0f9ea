import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { KubeObject, ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { VirtualClock } from "../testing/clock.ts";
import { Breaker } from "./breaker.ts";
import { firstDifference, learnSpellings } from "./matches.ts";
import { draftOf, hasStatusChange } from "./status.ts";

/** The response of a kube-apiserver 1.36 to an apply of this Deployment: defaults filled in, quantities shortened. */
const container = {
  name: "cache",
  image: "memcached:1.6",
  ports: [{ containerPort: 11211 }, { containerPort: 11212, protocol: "UDP" }],
  env: [{ name: "A", value: "1" }],
  securityContext: {},
};
const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "u", controller: true };
const desired: KubeObject & { readonly spec: object } = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "c", namespace: "ns", ownerReferences: [owner] },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "c" } },
    template: { spec: { containers: [container], volumes: [{ name: "v", emptyDir: {} }] } },
  },
};
const fieldsV1 = {
  "f:metadata": { "f:ownerReferences": { 'k:{"uid":"u"}': {} } },
  "f:spec": {
    "f:replicas": {},
    "f:selector": {},
    "f:template": {
      "f:spec": {
        "f:containers": {
          'k:{"name":"cache"}': {
            ".": {},
            "f:name": {},
            "f:image": {},
            "f:env": { 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } },
            "f:ports": {
              'k:{"containerPort":11211,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} },
              'k:{"containerPort":11212,"protocol":"UDP"}': { ".": {}, "f:containerPort": {}, "f:protocol": {} },
            },
            "f:securityContext": {},
          },
        },
        "f:volumes": { 'k:{"name":"v"}': { ".": {}, "f:name": {}, "f:emptyDir": {} } },
      },
    },
  },
};

function live(
  change: (spec: Record<string, never> & { [name: string]: unknown }) => void = () => undefined,
): StoredObject {
  const ports = [
    { containerPort: 11211, protocol: "TCP" },
    { containerPort: 11212, protocol: "UDP" },
  ];
  const full = { ...container, ports, imagePullPolicy: "IfNotPresent", resources: {} };
  const spec = {
    replicas: 2,
    selector: { matchLabels: { app: "c" } },
    strategy: { type: "RollingUpdate" },
    template: { spec: { containers: [full], volumes: [{ name: "v", emptyDir: {} }], restartPolicy: "Always" } },
  };
  const copy = structuredClone(spec);
  change(copy as never);
  const entry = { manager: "us", operation: "Apply" as const, apiVersion: "apps/v1", fieldsV1 };
  const metadata = {
    ...desired.metadata,
    name: "c",
    uid: "d",
    resourceVersion: "9",
    creationTimestamp: "",
    managedFields: [entry],
  };
  return Object.assign({ apiVersion: "apps/v1", kind: "Deployment", metadata }, { spec: copy });
}

function difference(wanted: KubeObject, found: StoredObject): string | undefined {
  return firstDifference({ desired: wanted, live: found, manager: "us" })?.path;
}

/** A stored object of which our manager owns these fields. */
function stored(object: KubeObject, fieldsV1: object): StoredObject {
  const entry = {
    manager: "us",
    operation: "Apply" as const,
    apiVersion: object.apiVersion,
    fieldsV1: fieldsV1 as never,
  };
  const made = { uid: "u", resourceVersion: "1", creationTimestamp: "", managedFields: [entry] };
  return { ...object, metadata: { ...object.metadata, name: object.metadata.name ?? "", ...made } };
}

describe("would an apply change anything", () => {
  test("not when the server only filled in defaults", () => assert.equal(difference(desired, live()), undefined));

  test("when a value was changed, deep in a keyed list", () => {
    const path = 'spec.template.spec.containers[{"name":"cache"}].image';
    const changed = live((spec) => {
      (spec as unknown as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0] = {
        ...container,
        image: "other",
      };
    });
    assert.equal(difference(desired, changed), path);
  });

  test("when we no longer send a field that is ours", () => {
    const { replicas: _replicas, ...spec } = desired.spec as { replicas: number };
    assert.equal(difference(Object.assign({ ...desired }, { spec }), live()), "spec.replicas");
  });

  test("when we send a field that is not ours yet", () => {
    const wanted = { ...desired, spec: { ...desired.spec, paused: true } };
    assert.equal(difference(wanted, live()), "spec.paused");
  });

  test("when we never applied it, or under another version", () => {
    assert.equal(firstDifference({ desired, live: live(), manager: "others" })?.path, "metadata.managedFields");
    assert.equal(difference({ ...desired, apiVersion: "apps/v2" }, live()), "metadata.managedFields");
  });

  test("when another manager has taken our only field, at that field", () => {
    const sent = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { text: "same", size: "1" } };
    const taken = stored({ ...sent, data: { text: "same", size: "2" } } as KubeObject, {});
    assert.equal(firstDifference({ desired: sent, live: taken, manager: "them" })?.path, "data.size");
    const labelled = { ...sent, metadata: { name: "a", labels: { a: "b" } } };
    const half = stored({ ...taken, metadata: labelled.metadata }, { "f:metadata": { "f:labels": { "f:a": {} } } });
    assert.equal(difference(labelled, half), "data.size");
  });

  test("not when only the spelling of a quantity differs, except in a ConfigMap", () => {
    const build = (cpu: string, where: "resources" | "data"): { object: KubeObject; fields: object } =>
      where === "resources"
        ? {
            object: Object.assign(
              { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
              { spec: { resources: { limits: { cpu } } } },
            ),
            fields: { "f:spec": { "f:resources": { "f:limits": { "f:cpu": {} } } } },
          }
        : {
            object: Object.assign({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "p" } }, { data: { cpu } }),
            fields: { "f:data": { "f:cpu": {} } },
          };
    const compare = (where: "resources" | "data"): string | undefined => {
      const { fields } = build("1", where);
      const managedFields = [
        { manager: "us", operation: "Apply" as const, apiVersion: "v1", fieldsV1: fields as never },
      ];
      const found = build("1", where).object;
      const stored = {
        ...found,
        metadata: { name: "p", uid: "", resourceVersion: "1", creationTimestamp: "", managedFields },
      };
      return difference(build("1000m", where).object, stored);
    };
    assert.equal(compare("resources"), undefined);
    assert.equal(compare("data"), "data.cpu");
  });

  test("names with dots are in brackets, also in paths of quantities", () => {
    const found = (name: string, cpu: string) => {
      const fields = { "f:spec": { "f:resources": { "f:limits": { [`f:${name}`]: {} } } } };
      const entry = { manager: "us", operation: "Apply" as const, apiVersion: "v1", fieldsV1: fields };
      const metadata = { name: "p", uid: "", resourceVersion: "1", creationTimestamp: "", managedFields: [entry] };
      const podWith = (amount: string) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        spec: { resources: { limits: { [name]: amount } } },
      });
      return difference(Object.assign(podWith(cpu), { metadata: { name: "p" } }), podWith("1"));
    };
    assert.equal(found("example.com/gpu", "1000m"), undefined);
    assert.equal(found("example.com/gpu", "2"), 'spec.resources.limits["example.com/gpu"]');
    assert.equal(found("cpu", "2"), "spec.resources.limits.cpu");
  });

  test("not for a zero that the server drops, but for one that it replaces by a default", () => {
    const set = (podManagementPolicy: string): KubeObject & { readonly spec: object } => ({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "s" },
      spec: { podManagementPolicy },
    });
    const fields = { "f:spec": { "f:podManagementPolicy": {} } };
    const compare = (found: string): string | undefined => difference(set(""), stored(set(found), fields));
    assert.equal(compare("OrderedReady"), undefined);
    assert.equal(compare("Parallel"), "spec.podManagementPolicy");
  });

  test("not for zeros in atomic values, but for empty labels and custom resources", () => {
    const policy = (
      podSelector: object,
      apiVersion = "networking.k8s.io/v1",
    ): KubeObject & { readonly spec: object } => ({
      apiVersion,
      kind: "NetworkPolicy",
      metadata: { name: "p" },
      spec: { podSelector },
    });
    const fields = { "f:spec": { "f:podSelector": {} } };
    const compare = (wanted: object, found: object, version?: string): string | undefined =>
      difference(policy(wanted, version), stored(policy(found, version), fields));
    assert.equal(compare({ matchLabels: {}, matchExpressions: [] }, {}), undefined);
    assert.equal(compare({ matchLabels: { name: "" } }, { matchLabels: {} }), "spec.podSelector");
    assert.equal(compare({ matchLabels: {} }, { matchLabels: { a: "b" } }), "spec.podSelector");
    assert.equal(compare({ matchLabels: {} }, { other: 1 }, "example.com/v1"), "spec.podSelector");
  });

  test("not when other managers add items to a keyed list of which we own nothing", () => {
    const labels = { a: "b" };
    const claim = (...finalizers: string[]): KubeObject => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c", labels, finalizers },
    });
    const found = claim("kubernetes.io/pvc-protection");
    const ourLabels = { "f:labels": { "f:a": {} } };
    assert.equal(difference(claim(), stored(found, { "f:metadata": ourLabels })), undefined);
    const ours = { "f:metadata": { ...ourLabels, "f:finalizers": { 'v:"kubernetes.io/pvc-protection"': {} } } };
    assert.equal(difference(claim(), stored(found, ours)), "metadata.finalizers");
  });

  test("learns the server's spelling of a value from its response", () => {
    const wanted = { ...desired, spec: { ...desired.spec, replicas: "two" } };
    const comparison = { desired: wanted, live: live(), manager: "us" };
    const spellings = learnSpellings(comparison);
    assert.deepEqual(spellings?.get("spec.replicas"), { wanted: '"two"', found: "2" });
    assert.equal(firstDifference({ ...comparison, spellings }), undefined);
  });
});

describe("a status draft", () => {
  function draft(status: object): ReturnType<typeof draftOf> {
    const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 4 };
    return draftOf({ object: Object.assign({ apiVersion: "v1", kind: "X", metadata }, { status }), time: () => "now" });
  }

  test("keeps the transition time of an unchanged condition and sets the generation", () => {
    const before = {
      type: "Ready",
      status: "True",
      lastTransitionTime: "then",
      reason: "Ready",
      message: "",
      observedGeneration: 3,
    };
    const fields = draft({ conditions: [before] });
    fields.condition("Ready", true, "all is well");
    assert.deepEqual(fields.conditions, [{ ...before, message: "all is well", observedGeneration: 4 }]);
    fields.condition("Ready", false, { reason: "Broken" });
    assert.deepEqual(fields.conditions?.[0], {
      ...before,
      status: "False",
      reason: "Broken",
      lastTransitionTime: "now",
      observedGeneration: 4,
    });
    fields.condition("Ready", true);
    assert.equal(fields.conditions?.[0]?.lastTransitionTime, "then", "what was taken back is no transition");
    fields.condition("Other", "Unknown");
    assert.equal(fields.conditions?.[1]?.reason, "Unknown");
  });

  test("does not change its source object, and hides its method from JSON", () => {
    const status = Object.freeze({ nodes: Object.freeze(["a"]) });
    const fields = draft(status);
    (fields["nodes"] as string[]).push("b");
    assert.equal(JSON.stringify(fields), '{"nodes":["a","b"]}');
    assert.deepEqual(status.nodes, ["a"]);
  });

  test("does not remove a field that its method hides", () => {
    const kind = { group: "", version: "v1", kind: "X", plural: "xs", scope: "Namespaced" } as const;
    const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "" };
    const object = { apiVersion: "v1", kind: "X", metadata, status: { condition: "good", nodes: 1 } };
    const fields = draftOf({ object, time: () => "now" });
    assert.equal(hasStatusChange({ kind, object }, fields), false);
    fields["nodes"] = 2;
    assert.equal(hasStatusChange({ kind, object }, fields), true);
  });
});

test("the breaker does not scan all children on each write of one", async () => {
  const breaker = new Breaker({ clock: new VirtualClock(), api: {} as never, manager: "us" });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const walks = await countMapWalks(async () => {
    for (let at = 0; at < 12_000; at++)
      await breaker.check({ kind, key: `ns/${at}`, field: "", desired: "", isSelfInflicted: false });
  });
  assert.ok(walks < 100, `${walks} walks over maps`);
});

/** Counts iterations over any map. The mocks of the test runner do not restore a method with a symbol as name. */
async function countMapWalks(work: () => Promise<void>): Promise<number> {
  const walk = Reflect.get(Map.prototype, Symbol.iterator) as () => unknown;
  let count = 0;
  const counted = function (this: unknown): unknown {
    count++;
    return walk.call(this);
  };
  Reflect.set(Map.prototype, Symbol.iterator, counted);
  try {
    await work();
  } finally {
    Reflect.set(Map.prototype, Symbol.iterator, walk);
  }
  return count;
}

test("the breaker allows a number of writes per interval and then starts again", async () => {
  const clock = new VirtualClock();
  const get = () => Promise.reject(new Error("not reachable"));
  const breaker = new Breaker({ clock, api: { get } as never, manager: "us", budget: { writes: 3, within: 1000 } });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const write = () => breaker.check({ kind, key: "ns/a", field: "data.x", desired: "same", isSelfInflicted: false });
  await write();
  for (let at = 0; at < 3; at++) await write();
  await assert.rejects(write(), { code: "HotLoop", message: /because another manager changes data\.x/u });
  await clock.advance(1000);
  await write();
});

test("the breaker does not count new desired values, however many there are", async () => {
  const clock = new VirtualClock();
  const breaker = new Breaker({ clock, api: {} as never, manager: "us", budget: { writes: 3, within: 1000 } });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const repair = { kind, key: "ns/a", field: "data.x", isSelfInflicted: false };
  for (let at = 0; at < 1000; at++) await breaker.check({ ...repair, desired: String(at) });
  for (let at = 0; at < 1000; at++) await breaker.check({ ...repair, desired: String(at % 2) });
});

test("the breaker counts new values that follow from the operator's own writes", async () => {
  const get = () => Promise.reject(new Error("not reachable"));
  const budget = { writes: 3, within: 1000 };
  const breaker = new Breaker({ clock: new VirtualClock(), api: { get } as never, manager: "us", budget });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const write = (at: number) =>
    breaker.check({ kind, key: "ns/a", field: "data.x", desired: String(at), isSelfInflicted: true });
  for (let at = 0; at < 4; at++) await write(at);
  await assert.rejects(write(4), { code: "HotLoop" });
});

test("the breaker does not count a child that returns after the operator deleted it", async () => {
  const get = () => Promise.reject(new Error("not reachable"));
  const budget = { writes: 3, within: 1000 };
  const breaker = new Breaker({ clock: new VirtualClock(), api: { get } as never, manager: "us", budget });
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const write = (isSelfInflicted: boolean) =>
    breaker.check({ kind, key: "ns/a", field: "", desired: "same", isSelfInflicted });
  for (let at = 0; at < 10; at++) {
    await write(false);
    breaker.removed(kind, "ns/a");
  }
  // Only the operator's own deletion leads to the write: a loop.
  for (let at = 0; at < 3; at++) {
    await write(true);
    breaker.removed(kind, "ns/a");
  }
  await assert.rejects(write(true), { code: "HotLoop" });
});

describe("the breaker names the other writers", () => {
  const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" } as const;
  const entry = (manager: string, fieldsV1: NonNullable<ManagedFieldsEntry["fieldsV1"]>): ManagedFieldsEntry => ({
    manager,
    operation: "Apply",
    apiVersion: "v1",
    fieldsV1,
  });
  const managedFields = [
    entry("labeller", { "f:metadata": { "f:labels": { "f:app.kubernetes.io/name": {} } } }),
    entry("namesake", { "f:metadata": { "f:labels": { "f:app": {} } } }),
    entry("whole", { "f:data": {} }),
    entry("item", { "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} } } } }),
    entry("other-item", { "f:spec": { "f:ports": { 'k:{"port":81,"protocol":"TCP"}': { ".": {}, "f:name": {} } } } }),
  ];
  const metadata = { name: "a", namespace: "ns", uid: "u", resourceVersion: "1", creationTimestamp: "", managedFields };
  const get = () => Promise.resolve({ apiVersion: "v1", kind: "ConfigMap", metadata });

  for (const [field, who] of [
    ['metadata.labels["app.kubernetes.io/name"]', "labeller"],
    ['data["some.file"]', "whole"],
    ['spec.ports[{"port":80,"protocol":"TCP"}].name', "item"],
  ] as const) {
    test(`of ${field}`, async () => {
      const breaker = new Breaker({
        clock: new VirtualClock(),
        api: { get } as never,
        manager: "us",
        budget: { writes: 0, within: 1000 },
      });
      const message = `because "${who}" changes ${field}. Let only one of them set these fields.`;
      const repair = { kind, key: "ns/a", field, desired: "", isSelfInflicted: false };
      await breaker.check(repair);
      await assert.rejects(breaker.check(repair), (error: Error) => error.message.endsWith(message));
    });
  }

  test("and never our manager: fields without another owner are set by the server", async () => {
    const clock = new VirtualClock();
    const budget = { writes: 0, within: 1000 };
    const breaker = new Breaker({ clock, api: { get } as never, manager: "whole", budget });
    const repair = { kind, key: "ns/a", field: "data.x", desired: "", isSelfInflicted: false };
    await breaker.check(repair);
    await assert.rejects(breaker.check(repair), (error: Error) => {
      assert.match(
        error.message,
        /because data\.x is not what was sent, and no other manager owns it\. See whether a reconcile applies it twice;/u,
      );
      assert.doesNotMatch(error.message, /"whole"/u);
      return true;
    });
  });

  test("and a status that the server ignores must be left out", async () => {
    const budget = { writes: 0, within: 1000 };
    const breaker = new Breaker({ clock: new VirtualClock(), api: { get } as never, manager: "whole", budget });
    const repair = { kind, key: "ns/a", field: "status", desired: "", isSelfInflicted: false };
    await breaker.check(repair);
    await assert.rejects(
      breaker.check(repair),
      /Servers accept a status only from the controller of the object: leave it out\.$/u,
    );
  });
});
