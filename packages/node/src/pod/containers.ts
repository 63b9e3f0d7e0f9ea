/** The containers of a pod and their roles. */
import type { Container, Pod, PodSpec } from "@capstan/kinds/v1";

/** A pod that is bound to a node: it has a spec. */
export type BoundPod = Pod & { readonly spec: PodSpec };

/** An init container with restartPolicy Always is a sidecar: it keeps running, and the pod continues once it has started. */
export type ContainerKind = "init" | "sidecar" | "regular" | "ephemeral";

/** A container with its role in the pod. */
export interface PodContainer {
  readonly kind: ContainerKind;
  readonly spec: Container;
}

/** All containers of a pod, in the order of declaration: init, regular, ephemeral. */
export function containersOf(spec: PodSpec): readonly PodContainer[] {
  const init = (spec.initContainers ?? []).map((one): PodContainer => ({ kind: kindOfInit(one), spec: one }));
  const regular = spec.containers.map((one): PodContainer => ({ kind: "regular", spec: one }));
  const ephemeral = (spec.ephemeralContainers ?? []).map((one): PodContainer => ({ kind: "ephemeral", spec: one }));
  return [...init, ...regular, ...ephemeral];
}

function kindOfInit({ restartPolicy }: Container): ContainerKind {
  return restartPolicy === "Always" ? "sidecar" : "init";
}

/** Whether a container that has exited is restarted. */
export function restartsAfter(
  { kind, spec }: PodContainer,
  podPolicy: PodSpec["restartPolicy"],
  exitCode: number,
): boolean {
  switch (kind) {
    case "ephemeral":
      return false;
    case "sidecar":
      return true;
    case "init":
      return exitCode !== 0 && !neverAgain(spec, podPolicy, exitCode);
    case "regular":
      return restartsRegular(spec, podPolicy, exitCode);
  }
}

/** In a pod with restartPolicy Always, an init container is repeated only until it succeeds. */
function neverAgain(spec: Container, podPolicy: PodSpec["restartPolicy"], exitCode: number): boolean {
  return !restartsRegular(spec, podPolicy, exitCode);
}

function restartsRegular(spec: Container, podPolicy: PodSpec["restartPolicy"], exitCode: number): boolean {
  const rule = spec.restartPolicyRules?.find(({ exitCodes }) => matches(exitCodes, exitCode));
  if (rule?.action === "Restart") return true;
  const policy = spec.restartPolicy ?? podPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function matches(
  codes: { readonly operator: string; readonly values?: readonly number[] } | undefined,
  exitCode: number,
): boolean {
  if (codes === undefined) return false;
  const listed = (codes.values ?? []).includes(exitCode);
  return codes.operator === "In" ? listed : !listed;
}
