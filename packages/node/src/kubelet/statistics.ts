/** Resource usage of a node and its pods: the kubelet's summary, and the metrics that a metrics server reads. */
import { cpus, freemem, totalmem } from "node:os";
import { formatTime } from "../pod/status.ts";
import type { PodWorker } from "../pod/worker.ts";
import type { KubeletTools } from "./api.ts";

interface ContainerUse {
  readonly name: string;
  readonly startTime: string;
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

interface PodUse {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly startTime: string | undefined;
  readonly containers: readonly ContainerUse[];
}

export async function summaryOf(tools: KubeletTools): Promise<object> {
  const time = formatTime(tools.clock.wall());
  const pods = await Promise.all(Array.from(tools.workers(), (worker) => podUse(worker, tools)));
  const of = (cpuNanoseconds: number, memoryBytes: number): object => ({
    cpu: { time, usageCoreNanoSeconds: Math.round(cpuNanoseconds) },
    memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes, rssBytes: memoryBytes },
  });
  return {
    node: { nodeName: tools.nodeName, ...of(machineCpu(), totalmem() - freemem()) },
    pods: pods.map(({ name, namespace, uid, startTime, containers }) => ({
      podRef: { name, namespace, uid },
      startTime,
      ...of(sum(containers, "cpuNanoseconds"), sum(containers, "memoryBytes")),
      containers: containers.map((one) => ({
        name: one.name,
        startTime: one.startTime,
        ...of(one.cpuNanoseconds, one.memoryBytes),
      })),
    })),
  };
}

function sum(containers: readonly ContainerUse[], field: "cpuNanoseconds" | "memoryBytes"): number {
  return containers.reduce((total, one) => total + one[field], 0);
}

/** Idle time does not count. The times are in milliseconds. */
function machineCpu(): number {
  return cpus().reduce((total, { times }) => total + (times.user + times.nice + times.sys + times.irq) * 1e6, 0);
}

async function podUse({ situation }: PodWorker, { streaming }: KubeletTools): Promise<PodUse> {
  const { name, namespace = "", uid } = situation.pod.metadata;
  const running = [...situation.containers.values()].flatMap(({ container, life }) =>
    life.is === "running" ? [{ name: container.spec.name, id: life.id, startTime: formatTime(life.startedAt) }] : [],
  );
  const containers = await Promise.all(
    running.map(async ({ id, ...rest }) => ({ ...rest, ...((await streaming?.usage(id)) ?? nothing) })),
  );
  return { name, namespace, uid, startTime: situation.pod.status?.startTime, containers };
}

const nothing = { cpuNanoseconds: 0, memoryBytes: 0 };

/** The same values as Prometheus text. */
export async function measurementsOf(tools: KubeletTools): Promise<string> {
  const wall = Math.round(tools.clock.wall());
  const pods = await Promise.all(Array.from(tools.workers(), (worker) => podUse(worker, tools)));
  const line = (name: string, labels: object, value: number): string => {
    const text = Object.entries(labels).map(([key, one]) => `${key}="${String(one)}"`);
    return `${name}${text.length === 0 ? "" : `{${text.join(",")}}`} ${value} ${wall}`;
  };
  const perContainer = pods.flatMap(({ name: pod, namespace, containers }) =>
    containers.flatMap(({ name: container, cpuNanoseconds, memoryBytes }) => [
      line("container_cpu_usage_seconds_total", { container, namespace, pod }, cpuNanoseconds / 1e9),
      line("container_memory_working_set_bytes", { container, namespace, pod }, memoryBytes),
    ]),
  );
  const perPod = pods.flatMap(({ name: pod, namespace, containers }) => [
    line("pod_cpu_usage_seconds_total", { namespace, pod }, sum(containers, "cpuNanoseconds") / 1e9),
    line("pod_memory_working_set_bytes", { namespace, pod }, sum(containers, "memoryBytes")),
  ]);
  const ofNode = [
    line("node_cpu_usage_seconds_total", {}, machineCpu() / 1e9),
    line("node_memory_working_set_bytes", {}, totalmem() - freemem()),
  ];
  return [...sorted([...perContainer, ...perPod]), ...ofNode, ""].join("\n");
}

/** Prometheus expects the lines of one metric together. */
function sorted(lines: readonly string[]): readonly string[] {
  return lines.toSorted((a, b) => (a < b ? -1 : 1));
}
