/** A request that cannot be met, and the words to write one down with. */
import type { Container, Pod, PodSpec } from "@capstan/kinds/v1";

/** A pod that something is wrong with. */
export interface Request {
  readonly spec: PodSpec;
  /** What is changed once it is so far, where its story begins well. */
  readonly change?: { readonly when: (pod: Pod) => boolean; readonly spec: Partial<PodSpec> };
  /** When its story is told: how the pod is at the first such moment is compared. */
  readonly until: (pod: Pod) => boolean;
  /** A kubelet under load may lose sight of the containers that it ends in this way: how those ended is not compared. */
  readonly isAbrupt?: true;
  /** How it is deleted then, where its end is a part of the story. */
  readonly thenDeleted?: { readonly graceSeconds: number };
}

/** Requests by the names of their pods. */
export type Requests = { readonly [name: string]: Request };

export const busybox = "capstan.test/busybox:1";

/** A container that runs a line of shell. */
export function shell(script: string, more: Partial<Container> = {}): Container {
  return { name: "main", image: busybox, command: ["sh", "-c", script], ...more };
}

/** A pod with one container, which ends with it. */
export function once(script: string, more: Partial<Container> = {}): PodSpec {
  return { restartPolicy: "Never", containers: [shell(script, more)] };
}

/** A pod with one container that stays. */
export function staying(more: Partial<Container> = {}, spec: Partial<PodSpec> = {}): PodSpec {
  return { terminationGracePeriodSeconds: 1, containers: [shell("sleep 10000", more)], ...spec };
}

/** A pod that sees a volume of some kind. */
export function withVolume(volume: Omit<NonNullable<PodSpec["volumes"]>[number], "name">): PodSpec {
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  return staying({ volumeMounts }, { volumes: [{ name: "data", ...volume }] });
}

/** A container of the pod waits for this reason. */
export function waits(reason: string): (pod: Pod) => boolean {
  return ({ status = {} }) =>
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].some(
      ({ state }) => state?.waiting?.reason === reason,
    );
}

/** The pod is over, and no sandbox is left of it. */
export function isOver({ status = {} }: Pod): boolean {
  const isEmpty = (status.conditions ?? []).every(
    ({ type, status: value }) => type !== "PodReadyToStartContainers" || value === "False",
  );
  return (status.phase === "Failed" || status.phase === "Succeeded") && isEmpty;
}

/** It has been told that no node suits it. */
export function isUnscheduled({ status = {} }: Pod): boolean {
  return (status.conditions ?? []).some(({ type, status: value }) => type === "PodScheduled" && value === "False");
}

/** The node has taken it and got no further. */
export function isCreating({ status = {} }: Pod): boolean {
  return (status.containerStatuses ?? []).some(({ state }) => state?.waiting !== undefined);
}

/** A container runs, and was started so many times before. */
export function runs(restarts = 0): (pod: Pod) => boolean {
  return ({ status = {} }) =>
    (status.containerStatuses ?? []).some(
      ({ state, lastState, restartCount }) =>
        state?.running !== undefined &&
        restartCount >= restarts &&
        // A kubelet may tell of the new one before it tells how the one before it ended.
        (restarts === 0 || lastState?.terminated !== undefined),
    );
}

/** It has been restarted, and the next time has to wait. */
export const isHeldBack: (pod: Pod) => boolean = waits("CrashLoopBackOff");
