/** The kubeconfig for the administrator of a server. */
import type { ApiServer } from "./server.ts";

/** The text of the file, as JSON, which is valid YAML. Cluster, user and context get the name. */
export function toKubeconfig(
  { url, token, authority }: Pick<ApiServer, "url" | "token" | "authority">,
  name: string = "capstan",
): string {
  const certificate = Buffer.from(authority.certificate).toString("base64");
  // Clients reject a certificate authority for plain HTTP.
  const trust = url?.startsWith("https:") === true ? { "certificate-authority-data": certificate } : {};
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, ...trust } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
