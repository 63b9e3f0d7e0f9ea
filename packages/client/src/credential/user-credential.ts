/** The credential of a user entry: token or plugin, certificate, and impersonation. */
import type { Host } from "../host/host.ts";
import type { ClusterConfig, Impersonation } from "../kubeconfig/kubeconfig.ts";
import type { RequestHeaders } from "../transport/transport.ts";
import { certificateOf } from "./certificate.ts";
import { bearer, fixed } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";
import { execPlugin } from "./exec.ts";
import { oidcProvider } from "./oidc.ts";
import { tokenFile } from "./token-file.ts";

/** The credential of a configuration. */
export function credentialOf(host: Host, { user, cluster }: ClusterConfig): Credential {
  const { proof } = user;
  switch (proof.type) {
    case "none":
      return certificateOf(host, user);
    case "token":
      return fixed(bearer(proof.token, "the kubeconfig"));
    case "tokenFile":
      return tokenFile(host, proof.file);
    case "basic":
      return fixed(basic(proof.username, proof.password));
    case "exec":
      return execPlugin(host, proof.exec, cluster);
    case "oidc":
      return oidcProvider(host, proof.oidc, user.origin);
  }
}

function basic(username: string, password: string): Identity {
  return { headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` } };
}

/** The impersonation headers. */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonation): RequestHeaders {
  return {
    ...(user === undefined ? {} : { "impersonate-user": user }),
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups === undefined || groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(Object.entries(extra ?? {}).map(([name, values]) => [extraHeader(name), values])),
  };
}

/** Keys such as `scopes/one` are percent-encoded, because header names cannot contain slashes; nor parentheses, which URLs can. */
function extraHeader(name: string): string {
  const escaped = encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29");
  return `impersonate-extra-${escaped}`.toLowerCase();
}
