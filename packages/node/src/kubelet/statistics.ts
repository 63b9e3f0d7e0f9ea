/** What the pods of a node use, in the form of the kubelet's summary. */
import { formatTime } from "../pod/status.ts";
import type { PodWorker } from "../pod/worker.ts";
import type { KubeletTools } from "./api.ts";

/** The whole summary. */
export async function summaryOf(tools: KubeletTools): Promise<object> {
  const pods = await Promise.all(Array.from(tools.workers(), (worker) => podSummary(worker, tools)));
  return { node: { nodeName: tools.nodeName }, pods };
}

async function podSummary({ situation }: PodWorker, { doors, clock }: KubeletTools): Promise<object> {
  const { name, namespace, uid } = situation.pod.metadata;
  const time = formatTime(clock.wall());
  const running = [...situation.containers.values()].flatMap(({ container, life }) =>
    life.is === "running" ? [{ name: container.spec.name, id: life.id, startTime: formatTime(life.startedAt) }] : [],
  );
  const containers = await Promise.all(
    running.map(async ({ name: containerName, id, startTime }) => {
      const { cpuNanoseconds, memoryBytes } = (await doors?.usage(id)) ?? { cpuNanoseconds: 0, memoryBytes: 0 };
      const cpu = { time, usageCoreNanoSeconds: Math.round(cpuNanoseconds) };
      return {
        name: containerName,
        startTime,
        cpu,
        memory: { time, workingSetBytes: memoryBytes, rssBytes: memoryBytes },
      };
    }),
  );
  return { podRef: { name, namespace, uid }, startTime: situation.pod.status?.startTime, containers };
}
