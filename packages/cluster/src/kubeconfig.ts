/** A kubeconfig for the administrator of a cluster. */

/** Where a cluster is and what opens it. */
export interface Access {
  readonly name: string;
  readonly server: string;
  readonly token: string;
  /** The certificate of the authority that signed the server's, in PEM. */
  readonly certificate: string;
}

/** The text of the file; JSON is YAML. */
export function toKubeconfig({ name, server, token, certificate }: Access): string {
  const authority = Buffer.from(certificate).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
