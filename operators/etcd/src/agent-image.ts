/** The image of backup pods. It is the operator's own image, because the program contains the agent. */
import type { Context } from "capstan";
import { Pod } from "capstan/kinds/v1";
import type { EtcdBackup } from "./kinds/index.ts";

/** An image name, or the pod of this program, from which the image is read when needed. */
export type AgentImage = string | { readonly namespace: string; readonly pod: string };

interface Environment {
  readonly [variable: string]: string | undefined;
}

/** In the generated Deployment the environment names the pod. `ETCD_OPERATOR_IMAGE` takes precedence. */
export function agentImageFrom(environment: Environment): AgentImage {
  const { ETCD_OPERATOR_IMAGE: image, POD_NAMESPACE: namespace, HOSTNAME: pod } = environment;
  if (image !== undefined) return image;
  return namespace === undefined || pod === undefined ? "etcd-operator" : { namespace, pod };
}

type GetPod = Pick<Context<typeof EtcdBackup, typeof Pod>, "get">["get"];

/** The image of the agent cannot be found. */
export class AgentImageError extends Error {
  override readonly name = "AgentImageError";
  readonly code = "AgentImageUnknown";
}

export function resolveAgentImage(get: GetPod, source: AgentImage): string {
  if (typeof source === "string") return source;
  const { namespace, pod: name } = source;
  const pod = get(Pod, { name, namespace });
  const containers = pod?.spec?.containers ?? [];
  const image = (containers.find((container) => container.name === MANAGER) ?? containers[0])?.image;
  if (image !== undefined) return image;
  const message = `the operator's own pod ${namespace}/${name} is not in sight, so the image for backups is unknown: set ETCD_OPERATOR_IMAGE`;
  throw new AgentImageError(message);
}

/** Name of the container in the generated Deployment. */
const MANAGER = "manager";
