/** The kubeconfig of an embedded server. */
import type { ApiServer } from "@capstan/apiserver";

/** JSON is YAML, so this is a kubeconfig for every client. */
export function toKubeconfig(server: ApiServer): string {
  const certificate = Buffer.from(server.authority.certificate).toString("base64");
  const trust = server.url?.startsWith("https:") === true ? { "certificate-authority-data": certificate } : {};
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "capstan", cluster: { server: server.url, ...trust } }],
    users: [{ name: "admin", user: { token: server.token } }],
    contexts: [{ name: "capstan", context: { cluster: "capstan", user: "admin" } }],
    "current-context": "capstan",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
