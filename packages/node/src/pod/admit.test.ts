import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, PodSpec, Toleration } from "@capstan/kinds/v1";
import { admit } from "./admit.ts";
import type { BoundPod } from "./containers.ts";
import { judgeResize } from "./resize.ts";

const podOf = (spec: Partial<PodSpec>): BoundPod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main" }], ...spec },
});
const withPort = (hostPort: number, hostIP = "", protocol: "TCP" | "UDP" = "TCP"): BoundPod =>
  podOf({ containers: [{ name: "main", ports: [{ containerPort: 80, hostPort, hostIP, protocol }] }] });
const withCpu = (cpu: string, more: Partial<PodSpec> = {}): BoundPod =>
  podOf({ containers: [{ name: "main", resources: { requests: { cpu } } }], ...more });
const allocatable = { cpu: "2", memory: "1Gi", pods: "3" };
const reasonOf = (pod: BoundPod, others: readonly BoundPod[] = []): string | undefined =>
  admit(pod, { allocatable, others })?.reason;

test("a host port belongs to one pod only", () => {
  assert.equal(reasonOf(withPort(80), [withPort(80)]), "NodePorts");
  assert.equal(reasonOf(withPort(80, "127.0.0.1"), [withPort(80)]), "NodePorts");
  assert.equal(reasonOf(withPort(80, "127.0.0.1"), [withPort(80, "10.0.0.1")]), undefined);
  assert.equal(reasonOf(withPort(80), [withPort(80, "", "UDP")]), undefined);
});

test("a pod that requests more than is left is rejected, even if bound directly", () => {
  assert.equal(reasonOf(withCpu("1500m"), [withCpu("500m")]), undefined);
  assert.deepEqual(admit(withCpu("1500m"), { allocatable, others: [withCpu("501m")] }), {
    reason: "OutOfcpu",
    message: "Node didn't have enough resource: cpu, requested: 1500, used: 501, capacity: 2000",
  });
  assert.equal(reasonOf(podOf({}), [podOf({}), podOf({}), podOf({})]), "OutOfpods");
});

test("init containers count only if they need more than the regular ones", () => {
  const init = (cpu: string, restartPolicy?: string): NonNullable<PodSpec["initContainers"]>[number] => ({
    name: `init-${cpu}`,
    resources: { requests: { cpu } },
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  });
  assert.equal(reasonOf(withCpu("1", { initContainers: [init("2")] })), undefined);
  assert.equal(reasonOf(withCpu("1", { initContainers: [init("1500m", "Always")] })), "OutOfcpu");
  assert.equal(reasonOf(withCpu("1", { initContainers: [init("500m", "Always"), init("1600m")] })), "OutOfcpu");
});

test("unsafe sysctls are rejected", () => {
  const sysctls = (name: string): Partial<PodSpec> => ({ securityContext: { sysctls: [{ name, value: "1" }] } });
  assert.equal(reasonOf(podOf(sysctls("kernel.shm_rmid_forced"))), undefined);
  assert.equal(reasonOf(podOf(sysctls("kernel.msgmax"))), "SysctlForbidden");
  assert.equal(reasonOf(podOf({ ...sysctls("net.ipv4.tcp_fin_timeout"), hostNetwork: true })), "SysctlForbidden");
});

test("a pod bound without the scheduler is rejected on affinity or taint mismatch", () => {
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { ...podOf({}).metadata, name: "n", labels: { zone: "a" } },
    spec: {
      taints: [
        { key: "soft", effect: "NoSchedule" },
        { key: "hard", effect: "NoExecute" },
      ],
    },
  };
  const reason = (spec: Partial<PodSpec>): string | undefined =>
    admit(podOf(spec), { allocatable, others: [], node })?.reason;
  const tolerations: readonly Toleration[] = [{ key: "hard", operator: "Exists" }];
  assert.equal(reason({ nodeSelector: { zone: "b" }, tolerations }), "NodeAffinity");
  assert.equal(reason({ nodeSelector: { zone: "a" }, tolerations }), undefined);
  assert.equal(reason({}), "TaintToleration");
  assert.equal(reasonOf(podOf({ os: { name: "windows" } })), "PodOSNotSupported");
});

test("of several shortages the CPU is reported", () => {
  const requests = { memory: "2Gi", cpu: "3" };
  assert.equal(reasonOf(podOf({ containers: [{ name: "main", resources: { requests } }] })), "OutOfcpu");
});

test("a resize is deferred until it fits, or infeasible if it never will", () => {
  assert.equal(judgeResize(withCpu("1"), { allocatable, others: [withCpu("1")] }).is, "fits");
  assert.deepEqual(judgeResize(withCpu("1500m"), { allocatable, others: [withCpu("1")] }), {
    is: "deferred",
    message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  });
  assert.deepEqual(judgeResize(withCpu("3"), { allocatable, others: [] }), {
    is: "infeasible",
    message: "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
  });
});
