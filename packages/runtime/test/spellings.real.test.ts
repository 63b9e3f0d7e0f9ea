/**
 * Values that the server normalizes: quantities, and the strings of Secrets. The same value in another spelling is not a difference, also
 * after a restart; another value is one. The servers themselves decide.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@capstan/kinds/autoscaling/v2";
import { RuntimeClass } from "@capstan/kinds/node.k8s.io/v1";
import { CSIStorageCapacity } from "@capstan/kinds/storage.k8s.io/v1";
import { LimitRange, PersistentVolume, PersistentVolumeClaim, ResourceQuota, Secret } from "@capstan/kinds/v1";
import { kubernetesMissing } from "@capstan/kubernetes";
import { apiVersionOf } from "@capstan/model";
import type { KubeObject, StoredObject } from "@capstan/model";
import type { AnyKind } from "../src/api.ts";
import { firstDifference } from "../src/apply/matches.ts";
import { asStored } from "../src/apply/secret.ts";
import { onEmbedded, onReal } from "./places.ts";
import type { Place } from "./places.ts";

interface Fields {
  readonly [field: string]: unknown;
}

const labels = { a: "b" };
const metadata = { labels };

/** A pod with quantities in every place. */
const pod = (cpu: string, memory: string): Fields => ({
  volumes: [{ name: "v", emptyDir: { sizeLimit: memory } }],
  containers: [
    {
      name: "c",
      image: "i",
      resources: {
        requests: { cpu, memory, "example.com/dongles": "1000m" },
        limits: { memory, "example.com/dongles": "1" },
      },
      env: [{ name: "CPU", valueFrom: { resourceFieldRef: { resource: "requests.cpu", divisor: cpu } } }],
    },
  ],
});

/** Objects with some CPUs and some bytes. */
const kinds: readonly (readonly [kind: AnyKind, of: (cpu: string, bytes: string) => Fields])[] = [
  [
    Deployment,
    (cpu, bytes) => ({
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata, spec: pod(cpu, bytes) } },
    }),
  ],
  [
    StatefulSet,
    (cpu, bytes) => ({
      spec: {
        replicas: 0,
        serviceName: "s",
        selector: { matchLabels: labels },
        template: { metadata, spec: pod(cpu, bytes) },
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: bytes } } },
          },
        ],
      },
    }),
  ],
  [
    PersistentVolume,
    (_cpu, storage) => ({
      spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/nowhere" } },
    }),
  ],
  [
    PersistentVolumeClaim,
    (_cpu, storage) => ({
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage } } },
    }),
  ],
  ...[
    (cpu: string, memory: string) => ({
      default: { cpu },
      max: { cpu, memory, "example.com/x": "4000m" },
      min: { memory, "ephemeral-storage": "1024Mi" },
    }),
    (cpu: string) => ({ max: { cpu } }),
    (cpu: string, memory: string) => ({ min: { memory }, defaultRequest: { cpu } }),
  ].map(
    (of) =>
      [
        LimitRange,
        (cpu: string, memory: string): Fields => ({
          spec: {
            limits: [
              { type: "Container", ...of(cpu, memory) },
              { type: "Pod", max: { cpu, memory } },
            ],
          },
        }),
      ] as const,
  ),
  [ResourceQuota, (cpu, memory) => ({ spec: { hard: { "requests.cpu": cpu, "limits.memory": memory, pods: "1k" } } })],
  [RuntimeClass, (cpu, memory) => ({ handler: "h", overhead: { podFixed: { cpu, memory } } })],
  [CSIStorageCapacity, (_cpu, bytes) => ({ storageClassName: "none", capacity: bytes, maximumVolumeSize: bytes })],
  [
    HorizontalPodAutoscaler,
    (cpu) => ({
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
        metrics: [
          { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: cpu } } },
          { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: cpu } } },
        ],
      },
    }),
  ],
];

const manager = "spellings";
const name = "spelling";

function whole(kind: AnyKind, fields: Fields, namespace: string): KubeObject {
  const place = kind.scope === "Namespaced" ? { namespace, name } : { name };
  return { ...fields, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...metadata, ...place } };
}

function tell(where: string, connect: (t: TestContext) => Promise<Place>, skip: string | false): void {
  describe(`on ${where}`, { skip }, () => {
    test("another spelling of a quantity is equal, and another quantity is different", async (t) => {
      const { api, namespace } = await connect(t);
      const wrong: string[] = [];
      for (const [kind, of] of kinds) {
        const desired = whole(kind, of("1000m", "1024Mi"), namespace);
        const more = whole(kind, of("1001m", "1025Mi"), namespace);
        const live = await api.apply(kind, desired, { manager, force: true });
        const again = await api.apply(kind, desired, { manager, force: true });
        await api.delete(kind, { namespace: desired.metadata.namespace ?? "", name }, { gracePeriodSeconds: 0 });
        const { path } = firstDifference({ desired, live, manager }) ?? {};
        if (path !== undefined) wrong.push(`${kind.kind} ${path} is written again by a process that remembers nothing`);
        if (firstDifference({ desired: more, live, manager }) === undefined)
          wrong.push(`${kind.kind}: more is not seen`);
        if (JSON.stringify(contentOf(again)) !== JSON.stringify(contentOf(live)))
          wrong.push(`${kind.kind} is another after the same apply`);
      }
      assert.deepEqual(wrong, []);
    });

    test("strings of a Secret are stored as data, which is repaired and removed", async (t) => {
      const { api, namespace } = await connect(t);
      const key = { namespace, name };
      const secret = (fields: Fields): KubeObject => whole(Secret, fields, namespace);
      const applied = (fields: Fields): KubeObject => secret(asStored(Secret, fields));
      const dataOf = (live: StoredObject): unknown => (live as { readonly data?: unknown }).data;
      const texts = { data: { a: "AAE=", b: "Yg==" }, stringData: { a: "ä 😀", c: "" } };
      const made = await api.create(Secret, secret(texts), { manager: "user" });
      assert.deepEqual(dataOf(made), asStored(Secret, texts)["data"], "the server does the same");
      const live = await api.apply(Secret, applied(texts), { manager, force: true });
      assert.equal(firstDifference({ desired: applied(texts), live, manager }), undefined);

      const spoiled = await api.patch(Secret, key, { data: { a: "ZXZpbA==" } }, { type: "merge", manager: "evil" });
      assert.notEqual(firstDifference({ desired: applied(texts), live: spoiled, manager }), undefined);
      const repaired = await api.apply(Secret, applied(texts), { manager, force: true });
      assert.deepEqual(dataOf(repaired), dataOf(made));

      // A user who created it by hand owns its data as well: only fields of ours alone are removed.
      await api.delete(Secret, key, {});
      await api.apply(Secret, applied(texts), { manager, force: true });
      const fewer = applied({ stringData: { a: "1" } });
      const left = await api.apply(Secret, fewer, { manager, force: true });
      assert.deepEqual(dataOf(left), { a: "MQ==" });
      assert.equal(firstDifference({ desired: fewer, live: left, manager }), undefined);
      await api.delete(Secret, key, {});
    });
  });
}

/** An object without the fields that its server and its controllers write. */
function contentOf(object: StoredObject): unknown {
  const { metadata: _metadata, ...rest } = object;
  return { ...rest, status: undefined };
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
