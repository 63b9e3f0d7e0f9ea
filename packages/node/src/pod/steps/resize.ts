/** Resizes the containers of a pod, in place where possible. */
import { toNodeError } from "../../errors.ts";
import type { Bench } from "../bench.ts";
import { needsRestart, resizedContainers } from "../resize.ts";
import type { ContainerRecord } from "../situation.ts";
import { stopContainer } from "./container.ts";

/** The delay before a deferred resize is checked again. */
const retryAfter = 10_000;

export async function resizePod(bench: Bench): Promise<void> {
  const { pod } = bench.situation;
  const retryAt = bench.tools.clock.now() + retryAfter;
  const judgement = bench.tools.judgeResize(pod);
  if (judgement.is !== "fits") return bench.set({ resize: { ...judgement, retryAt } });
  bench.set({ resize: { is: "in progress", message: undefined, retryAt: Infinity } });
  try {
    for (const record of resizedContainers(bench.situation)) await resizeContainer(bench, record);
    const isDone = resizedContainers(bench.situation).length === 0;
    bench.set({ resize: isDone ? undefined : { is: "in progress", message: undefined, retryAt } });
    if (isDone) bench.tell("Normal", "ResizeCompleted", completed(bench));
  } catch (thrown) {
    const { message } = toNodeError(thrown, "Internal");
    bench.set({ resize: { is: "in progress", message, retryAt } });
    bench.tell("Warning", "ResizeError", `Pod resize error: ${message}`);
  }
}

async function resizeContainer(bench: Bench, { container: { spec }, life, actual }: ContainerRecord): Promise<void> {
  if (life.is !== "running" || life.stopping !== undefined) return;
  const { resources = {}, name } = spec;
  bench.change(name, { allocated: resources });
  if (needsRestart(spec, actual)) {
    const graceSeconds = bench.situation.pod.spec.terminationGracePeriodSeconds ?? 30;
    return stopContainer(bench, { do: "stop", container: name, graceSeconds, because: "resize" });
  }
  await bench.tools.runtime.resizeContainer?.(life.id, bench.situation.pod, resources);
  bench.change(name, { actual: resources });
}

function completed({ situation: { pod } }: Bench): string {
  const containers = pod.spec.containers.map(({ name, resources }) => ({ name, resources }));
  return `Pod resize completed: ${JSON.stringify({ containers, generation: pod.metadata.generation })}`;
}
