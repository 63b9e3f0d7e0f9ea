/** Kubeconfig files, with certificates inside, so that one file is all that a client needs. They are JSON, which is YAML too. */

import { readFileSync, writeFileSync } from "node:fs";

import { pkiPath } from "./certificates.ts";

/** What a client needs to speak to an API server. */
export interface Credentials {
  /** https://host:port */
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Reads the credentials of one of the cluster's users. */
export function readCredentials(folder: string, user: string, server: string): Credentials {
  const read = (file: string): string => readFileSync(pkiPath(folder, file), "utf8");
  return { server, ca: read("ca.crt"), cert: read(`${user}.crt`), key: read(`${user}.key`) };
}

/** Writes a kubeconfig for one of the cluster's users. */
export function writeKubeconfig(path: string, user: string, credentials: Credentials): void {
  writeFileSync(path, formatKubeconfig(user, credentials), { mode: 0o600 });
}

/** The text of a kubeconfig with one cluster, one user and one context. */
export function formatKubeconfig(user: string, { server, ca, cert, key }: Credentials): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "capstan", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: user, user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) } }],
    contexts: [{ name: "capstan", context: { cluster: "capstan", user } }],
    "current-context": "capstan",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
