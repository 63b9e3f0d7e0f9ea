/** The image of backup pods. It is the operator's own image, because the operator's program contains the agent. */
import type { ObjectOf } from "@capstan/model";
import { Pod } from "@capstan/kinds/v1";

/**
 * An image name, or the pod of this program, from which the image is read when needed.
 *
 * @example
 * const image: AgentImage = { namespace: "databases", pod: "store-operator-0" };
 */
export type AgentImage = string | { readonly namespace: string; readonly pod: string };

/**
 * Finds the image of backup pods in the environment: `OPERATOR_IMAGE`, or the pod that the generated Deployment names.
 *
 * @example
 * const image = agentImageFrom({ POD_NAMESPACE: "databases", HOSTNAME: "store-operator-0" });
 */
export function agentImageFrom(environment: {
  readonly [variable: string]: string | undefined;
}): AgentImage | undefined {
  const { OPERATOR_IMAGE: image, POD_NAMESPACE: namespace, HOSTNAME: pod } = environment;
  if (image !== undefined) return image;
  return namespace === undefined || pod === undefined ? undefined : { namespace, pod };
}

/**
 * The image of backup pods cannot be found.
 *
 * @example
 * const isUnknown = (error: unknown) => error instanceof AgentImageError;
 */
export class AgentImageError extends Error {
  override readonly name = "AgentImageError";
  readonly code = "AgentImageUnknown";
}

type GetPod = (
  kind: typeof Pod,
  name: { readonly name: string; readonly namespace: string },
) => ObjectOf<typeof Pod> | undefined;

/**
 * The name of the image of backup pods.
 *
 * @example
 * const image = resolveAgentImage(() => undefined, "store-operator");
 */
export function resolveAgentImage(get: GetPod, source: AgentImage | undefined): string {
  if (typeof source === "string") return source;
  const pod = source && get(Pod, { name: source.pod, namespace: source.namespace });
  const containers = pod?.spec?.containers ?? [];
  const image = (containers.find(({ name }) => name === MANAGER) ?? containers[0])?.image;
  if (image !== undefined) return image;
  const message =
    "the image for backup pods is unknown, because the operator's own pod is not in sight: set OPERATOR_IMAGE";
  throw new AgentImageError(message);
}

/** Name of the container in the generated Deployment. */
const MANAGER = "manager";
