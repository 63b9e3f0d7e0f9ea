/** The configuration inside a pod: the API server's address and the service account token. */
import type { Host } from "../host/host.ts";
import type { ClusterConfig } from "./kubeconfig.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * The configuration of a pod, or undefined where this is none. Token and CA are files, read again as the kubelet renews them.
 *
 * @example
 * const config = await inClusterConfig(processHost());
 * const isInPod = config !== undefined;
 */
export async function inClusterConfig({
  env,
  readFile,
}: Pick<Host, "env" | "readFile">): Promise<ClusterConfig | undefined> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (host === undefined || host === "" || port === undefined || port === "") return undefined;
  const namespace = await readFile(`${folder}/namespace`).catch(() => "default");
  return {
    name: "in-cluster",
    cluster: {
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      certificateAuthority: { file: `${folder}/ca.crt` },
    },
    user: { proof: { type: "tokenFile", file: `${folder}/token` } },
    namespace: namespace.trim(),
  };
}
