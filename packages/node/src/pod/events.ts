/** The events of a node about a pod, in the words of the kubelet. */
import type { LifecycleHandler } from "@capstan/kinds/v1";
import type { CheckResult } from "../runtime/runtime.ts";
import type { BoundPod } from "./containers.ts";
import type { StopCause } from "./situation.ts";

/** An event; `container` names the container it is about. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container: string | undefined;
}

/** The event message of a failed hook. */
export function hookFailure(
  { exec, httpGet, sleep }: LifecycleHandler,
  { pod, container, result }: { readonly pod: BoundPod; readonly container: string; readonly result: CheckResult },
): string {
  const { name, namespace, uid } = pod.metadata;
  const where = `for Container "${container}" in Pod "${name}_${namespace}(${uid})" failed`;
  const { output, code } = result;
  if (httpGet !== undefined) return `HTTP lifecycle hook (${httpGet.path ?? "/"}) ${where} - error: ${output}`;
  if (sleep !== undefined) return `Sleep lifecycle hook (${sleep.seconds}) ${where} - error: ${output}`;
  const command = (exec?.command ?? []).join(" ");
  // A command that could not be executed has no output.
  const [why, said] =
    code === undefined ? [output, ""] : [`command '${command}' exited with ${code}: ${output}`, output];
  return `Exec lifecycle hook ([${command}]) ${where} - error: ${why}, message: ${JSON.stringify(said)}`;
}

/** The event message of a container that is being stopped. */
export function killingMessage(container: string, because: StopCause): string {
  switch (because) {
    case "unhealthy":
      return `Container ${container} failed liveness probe, will be restarted`;
    case "unstarted":
      return `Container ${container} failed startup probe, will be restarted`;
    case "hook":
      return "FailedPostStartHook";
    case "resize":
      return `Container ${container} resize requires restart`;
    case "deleted":
    case "deadline":
    case "finished":
      return `Stopping container ${container}`;
  }
}
