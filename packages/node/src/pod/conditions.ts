/** The conditions of a pod that its node sets. Pure. */
import type { PodCondition } from "@capstan/kinds/v1";
import { isInitialized, isReady, type Phase } from "./phase.ts";
import type { ContainerRecord, Situation } from "./situation.ts";

/** A condition before its transition time is known. */
interface Finding {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions, with the transition times of those that have not changed. `now` is an RFC 3339 time. */
export function conditionsOf(situation: Situation, phase: Phase, now: string): readonly PodCondition[] {
  const { pod, sandbox } = situation;
  const containersReady = findContainersReady(situation, phase);
  const findings: readonly Finding[] = [
    { type: "PodReadyToStartContainers", status: sandbox.is === "ready" ? "True" : "False" },
    findInitialized(situation, phase),
    findReady(situation, containersReady),
    containersReady,
    { type: "PodScheduled", status: "True" },
    ...findResize(situation),
  ];
  const before = pod.status?.conditions ?? [];
  return findings.map((finding) => {
    const old = before.find(({ type }) => type === finding.type);
    const lastTransitionTime = old?.status === finding.status ? (old.lastTransitionTime ?? now) : now;
    return { ...finding, lastTransitionTime, ...generationOf(situation) };
  });
}

function generationOf({ pod }: Situation): { readonly observedGeneration?: number } {
  const { generation } = pod.metadata;
  return generation === undefined ? {} : { observedGeneration: generation };
}

function findInitialized({ containers }: Situation, phase: Phase): Finding {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const records = [...containers.values()];
  const begun = records.some(({ container, life }) => container.kind === "regular" && life.is !== "waiting");
  const late = records.filter((record) => isInit(record) && !isInitialized(record));
  // For the kubelet one initialization is enough: the condition stays true while init containers run again in a new sandbox.
  if (late.length === 0 || begun) return { type, status: "True" };
  const message = `containers with incomplete status: ${listOf(late)}`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function isInit({ container: { kind } }: ContainerRecord): boolean {
  return kind === "init" || kind === "sidecar";
}

function findContainersReady({ containers }: Situation, phase: Phase): Finding {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const unready = [...containers.values()].filter(
    (record) => (record.container.kind === "regular" || record.container.kind === "sidecar") && !isReady(record),
  );
  if (unready.length === 0) return { type, status: "True" };
  return {
    type,
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: ${listOf(unready)}`,
  };
}

function findReady({ pod }: Situation, containersReady: Finding): Finding {
  if (containersReady.status === "False") return { ...containersReady, type: "Ready" };
  const messages = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (found.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (messages.length === 0) return { type: "Ready", status: "True" };
  return { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function findResize({ resize }: Situation): readonly Finding[] {
  switch (resize?.is) {
    case undefined:
      return [];
    case "in progress": {
      const { message } = resize;
      return [
        { type: "PodResizeInProgress", status: "True", ...(message === undefined ? {} : { reason: "Error", message }) },
      ];
    }
    case "deferred":
      return [{ type: "PodResizePending", status: "True", reason: "Deferred", message: resize.message }];
    case "infeasible":
      return [{ type: "PodResizePending", status: "True", reason: "Infeasible", message: resize.message }];
  }
}

function listOf(records: readonly ContainerRecord[]): string {
  return `[${records.map(({ container }) => container.spec.name).join(" ")}]`;
}
