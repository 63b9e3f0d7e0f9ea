import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "@capstan/kinds/v1";
import { schedulePod } from "./schedule-pod.ts";
import { findPreemption } from "./preemption.ts";
import { SchedulerCache } from "./cache.ts";
import { emptyStorage } from "./volumes.ts";

function node(
  name: string,
  { labels = {}, spec = {}, cpu = "4" }: { labels?: object; spec?: object; cpu?: string } = {},
): Node {
  const allocatable = { cpu, memory: "8Gi", pods: "10" };
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { allocatable },
  } as unknown as Node;
}

let serial = 0;
function pod(spec: object = {}, labels: object = {}, cpu = "1"): Pod {
  serial++;
  return {
    metadata: {
      name: `p${serial}`,
      uid: `u${serial}`,
      namespace: "n",
      labels,
      creationTimestamp: "2030-01-01T00:00:00Z",
    },
    spec: { containers: [{ name: "x", resources: { requests: { cpu } } }], ...spec },
    status: {},
  } as unknown as Pod;
}

function place(nodes: readonly Node[], placed: readonly (readonly [Pod, string])[], wanted: Pod): string {
  const cache = new SchedulerCache();
  for (const one of nodes) cache.putNode(one);
  for (const [one, name] of placed) cache.putPod(one, name);
  const result = schedulePod(
    wanted,
    { nodes: cache.nodes, namespaceLabels: () => undefined, storage: emptyStorage },
    () => 0,
  );
  return result.result === "node" ? result.name : result.message;
}

const web = { app: "web" };
const selectsWeb = { labelSelector: { matchLabels: web }, topologyKey: "kubernetes.io/hostname" };
const required = "requiredDuringSchedulingIgnoredDuringExecution";

test("a pod gets a node that fits, or kube-scheduler's message", () => {
  const zone = (name: string): object => ({ labels: { zone: name } });
  const cases: [string, Node[], [Pod, string][], Pod, string][] = [
    ["no nodes", [], [], pod(), "no nodes available to schedule pods"],
    ["fits", [node("a")], [], pod(), "a"],
    [
      "insufficient cpu",
      [node("a", { cpu: "1" })],
      [[pod(), "a"]],
      pod(),
      "0/1 nodes are available: 1 Insufficient cpu.",
    ],
    ["least allocated", [node("a"), node("b")], [[pod(), "a"]], pod(), "b"],
    [
      "cordoned",
      [node("a", { spec: { unschedulable: true } })],
      [],
      pod(),
      "0/1 nodes are available: 1 node(s) were unschedulable.",
    ],
    ["selector", [node("a"), node("b", zone("z"))], [], pod({ nodeSelector: { zone: "z" } }), "b"],
    [
      "taint",
      [node("a", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }), node("b")],
      [[pod(), "b"]],
      pod(),
      "b",
    ],
    [
      "tolerated taint",
      [node("a", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } })],
      [],
      pod({ tolerations: [{ key: "k", operator: "Exists" }] }),
      "a",
    ],
    [
      "affinity",
      [node("a"), node("b")],
      [[pod({}, web), "a"]],
      pod({ affinity: { podAffinity: { [required]: [selectsWeb] } } }),
      "a",
    ],
    [
      "first pod of a group with affinity to itself",
      [node("a")],
      [],
      pod({ affinity: { podAffinity: { [required]: [selectsWeb] } } }, web),
      "a",
    ],
    [
      "anti-affinity",
      [node("a"), node("b")],
      [
        [pod({}, web), "a"],
        [pod(), "b"],
        [pod(), "b"],
      ],
      pod({ affinity: { podAntiAffinity: { [required]: [selectsWeb] } } }),
      "b",
    ],
    [
      "anti-affinity of an existing pod",
      [node("a")],
      [[pod({ affinity: { podAntiAffinity: { [required]: [selectsWeb] } } }), "a"]],
      pod({}, web),
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
    [
      "topology spread over zones",
      [node("a", zone("x")), node("b", zone("y"))],
      [[pod({}, web), "a"]],
      pod(
        {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "zone",
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: { matchLabels: web },
            },
          ],
        },
        web,
      ),
      "b",
    ],
    [
      "host ports",
      [node("a")],
      [[pod({ containers: [{ name: "x", ports: [{ containerPort: 1, hostPort: 80 }] }] }), "a"]],
      pod({ containers: [{ name: "x", ports: [{ containerPort: 1, hostPort: 80 }] }] }),
      "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
    ],
  ];
  for (const [name, nodes, placed, wanted, expected] of cases)
    assert.equal(place(nodes, placed, wanted), expected, name);
});

test("preemption chooses the fewest victims of the lowest priority", () => {
  const cache = new SchedulerCache();
  cache.putNode(node("a", { cpu: "2" }));
  cache.putNode(node("b", { cpu: "2" }));
  const lower = pod({ priority: 1 });
  const lowest = pod({ priority: 0 });
  const large = pod({ priority: 1 }, {}, "2");
  cache.putPod(lower, "a");
  cache.putPod(lowest, "a");
  cache.putPod(large, "b");
  const snapshot = { nodes: cache.nodes, namespaceLabels: () => undefined, storage: emptyStorage };
  const wanted = pod({ priority: 10 });
  const result = schedulePod(wanted, snapshot, () => 0);
  assert.equal(result.result, "none");
  if (result.result !== "none") return;
  const found = findPreemption(wanted, { snapshot, failures: result.failures, isProtected: () => false });
  assert.deepEqual(found, { node: "a", victims: [lowest] });
  const never = pod({ priority: 10, preemptionPolicy: "Never" });
  assert.equal(findPreemption(never, { snapshot, failures: result.failures, isProtected: () => false }), undefined);
});
