/** Table rows of pods, with the status as `kubectl get` shows it. */
import type { Container, ContainerStatus, Pod } from "@capstan/kinds/v1";
import { isEmpty } from "../meta/checks.ts";
import { isSidecar } from "../pod-template/containers.ts";
import type { TableRow } from "../rules.ts";
import { ageOf, orNone, sinceCell } from "../table/cells.ts";

/** Counters while iterating over the containers. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string;
}

export function podRow(pod: Pod, now: number): TableRow {
  const { metadata, spec, status } = pod;
  const tally = tallyOf(pod);
  const restarts =
    tally.restarts !== 0 && tally.lastRestart !== ""
      ? `${tally.restarts} (${sinceCell(tally.lastRestart, now)} ago)`
      : String(tally.restarts);
  const cells = [
    metadata.name ?? "",
    `${tally.ready}/${totalOf(pod)}`,
    finalReason(pod, tally.reason),
    restarts,
    ageOf(pod, now),
    orNone(status?.podIPs?.[0]?.ip),
    orNone(spec?.nodeName),
    orNone(status?.nominatedNodeName),
    gatesCell(pod),
  ];
  const phase = status?.phase ?? "";
  const conditions = Object.hasOwn(rowConditions, phase) ? rowConditions[phase] : undefined;
  return conditions === undefined ? { cells } : { cells, conditions };
}

const rowConditions: Readonly<Record<string, TableRow["conditions"]>> = {
  Succeeded: [
    { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
  ],
  Failed: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
};

function totalOf({ spec }: Pod): number {
  return (spec?.containers ?? []).length + (spec?.initContainers ?? []).filter(isSidecar).length;
}

function tallyOf(pod: Pod): Tally {
  const { status } = pod;
  const isGated = (status?.conditions ?? []).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const tally: Tally = {
    reason: isGated ? "SchedulingGated" : status?.reason || (status?.phase ?? ""),
    ready: 0,
    restarts: 0,
    lastRestart: "",
  };
  const { isInitializing, sidecars } = countInit(pod, tally);
  if (isInitializing && !isInitialized(pod)) return tally;
  tally.restarts = sidecars.restarts;
  tally.lastRestart = sidecars.lastRestart;
  countRegular(pod, tally);
  return tally;
}

function isInitialized({ status }: Pod): boolean {
  return (status?.conditions ?? []).find(({ type }) => type === "Initialized")?.status === "True";
}

type Restarts = Pick<Tally, "restarts" | "lastRestart">;

function countRestarts(into: Restarts, { restartCount, lastState }: ContainerStatus): void {
  into.restarts += restartCount;
  const finished = lastState?.terminated?.finishedAt ?? "";
  if (finished > into.lastRestart) into.lastRestart = finished;
}

function countInit({ spec, status }: Pod, tally: Tally): { isInitializing: boolean; sidecars: Restarts } {
  const containers = new Map((spec?.initContainers ?? []).map((one) => [one.name, one]));
  const sidecars: Restarts = { restarts: 0, lastRestart: "" };
  for (const [index, one] of (status?.initContainerStatuses ?? []).entries()) {
    countRestarts(tally, one);
    const isSide = isSidecarNamed(containers.get(one.name));
    if (isSide) countRestarts(sidecars, one);
    if (one.state?.terminated?.exitCode === 0) continue;
    if (isSide && one.started === true) {
      if (one.ready) tally.ready++;
      continue;
    }
    tally.reason = initReason(one, index, containers.size);
    return { isInitializing: true, sidecars };
  }
  return { isInitializing: false, sidecars };
}

function isSidecarNamed(container: Container | undefined): boolean {
  return container !== undefined && isSidecar(container);
}

function initReason({ state }: ContainerStatus, index: number, total: number): string {
  const { terminated, waiting } = state ?? {};
  if (terminated !== undefined) return `Init:${endReason(terminated)}`;
  const reason = waiting?.reason ?? "";
  return reason !== "" && reason !== "PodInitializing" ? `Init:${reason}` : `Init:${index}/${total}`;
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function endReason({ reason, signal = 0, exitCode }: Terminated): string {
  if (!isEmpty(reason)) return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function countRegular({ status }: Pod, tally: Tally): void {
  let hasRunning = false;
  let errorReason = "";
  for (const one of (status?.containerStatuses ?? []).toReversed()) {
    countRestarts(tally, one);
    const { waiting, terminated, running } = one.state ?? {};
    if (!isEmpty(waiting?.reason)) tally.reason = waiting?.reason ?? "";
    else if (terminated !== undefined) {
      tally.reason = endReason(terminated);
      if (terminated.exitCode !== 0) errorReason = tally.reason;
    } else if (one.ready && running !== undefined) {
      hasRunning = true;
      tally.ready++;
    }
  }
  if (tally.reason === "Completed") tally.reason = completedReason(status, hasRunning, errorReason);
}

function completedReason(status: Pod["status"], hasRunning: boolean, errorReason: string): string {
  const isReady = (status?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
  if (hasRunning && isReady) return "Running";
  if (errorReason !== "") return errorReason;
  return hasRunning ? "NotReady" : "Completed";
}

function finalReason({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? reason : "Terminating";
}

function gatesCell({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === "True",
  );
  return `${open.length}/${gates.length}`;
}
