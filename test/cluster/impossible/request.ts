/** A pod that cannot run, and functions to describe one. */
import type { Container, Pod, PodSpec } from "@capstan/kinds/v1";

/** A pod with something wrong. */
export interface Request {
  readonly spec: PodSpec;
  /** A change of the spec when the pod has reached a state, where it starts well. */
  readonly change?: { readonly when: (pod: Pod) => boolean; readonly spec: Partial<PodSpec> };
  /** The end of the case: the first matching state of the pod is compared. */
  readonly until: (pod: Pod) => boolean;
  /** A kubelet under load may miss how the containers that it ends in this way ended, so that is not compared. */
  readonly isAbrupt?: true;
  /** How the pod is deleted then, where its end is a part of the case. */
  readonly thenDeleted?: { readonly graceSeconds: number };
}

/** Requests by the names of their pods. */
export type Requests = { readonly [name: string]: Request };

export const busybox = "capstan.test/busybox:1";

/** A container that runs a line of shell. */
export function shell(script: string, more: Partial<Container> = {}): Container {
  return { name: "main", image: busybox, command: ["sh", "-c", script], ...more };
}

/** A pod with one container that ends. */
export function once(script: string, more: Partial<Container> = {}): PodSpec {
  return { restartPolicy: "Never", containers: [shell(script, more)] };
}

/** A pod with one container that stays. */
export function staying(more: Partial<Container> = {}, spec: Partial<PodSpec> = {}): PodSpec {
  return { terminationGracePeriodSeconds: 1, containers: [shell("sleep 10000", more)], ...spec };
}

/** A pod that mounts a volume of some kind. */
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

/** The pod has ended, and its sandbox is gone. */
export function isOver({ status = {} }: Pod): boolean {
  const isEmpty = (status.conditions ?? []).every(
    ({ type, status: value }) => type !== "PodReadyToStartContainers" || value === "False",
  );
  return (status.phase === "Failed" || status.phase === "Succeeded") && isEmpty;
}

/** The scheduler has found no node for it. */
export function isUnscheduled({ status = {} }: Pod): boolean {
  return (status.conditions ?? []).some(({ type, status: value }) => type === "PodScheduled" && value === "False");
}

/** The node has accepted it and got no further. */
export function isCreating({ status = {} }: Pod): boolean {
  return (status.containerStatuses ?? []).some(({ state }) => state?.waiting !== undefined);
}

/** A container runs, and was restarted this many times. */
export function runs(restarts = 0): (pod: Pod) => boolean {
  return ({ status = {} }) =>
    (status.containerStatuses ?? []).some(
      ({ state, lastState, restartCount }) =>
        state?.running !== undefined &&
        restartCount >= restarts &&
        // A kubelet may report the new container before it reports how the previous one ended.
        (restarts === 0 || lastState?.terminated !== undefined),
    );
}

/** The container has restarted, and the next restart is delayed. */
export const isHeldBack: (pod: Pod) => boolean = waits("CrashLoopBackOff");
