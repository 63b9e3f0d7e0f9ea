/** What a node tells about a pod in events, in the words of the kubelet. */
import type { StopCause } from "./situation.ts";

/** Something worth telling; `container` names the container it is about. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container: string | undefined;
}

/** Why a container is stopped, in words. */
export function killingMessage(container: string, because: StopCause): string {
  switch (because) {
    case "unhealthy":
      return `Container ${container} failed liveness probe, will be restarted`;
    case "unstarted":
      return `Container ${container} failed startup probe, will be restarted`;
    case "resize":
      return `Container ${container} resize requires restart`;
    case "deleted":
    case "deadline":
    case "finished":
      return `Stopping container ${container}`;
  }
}
