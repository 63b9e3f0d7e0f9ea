/** The image of backup pods. It is the operator's own image, because the program contains the agent. */
import { agentImageFrom } from "capstan/stateful";
import type { AgentImage } from "capstan/stateful";

/** In the generated Deployment the environment names the pod. `ETCD_OPERATOR_IMAGE` takes precedence. */
export function agentImageIn(environment: { readonly [variable: string]: string | undefined }): AgentImage {
  return environment["ETCD_OPERATOR_IMAGE"] ?? agentImageFrom(environment) ?? "etcd-operator";
}
