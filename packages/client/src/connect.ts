/** Creates a connection from a configuration: address, proxy, trust and credentials. */
import { authenticated } from "./credential/authenticated.ts";
import { readCertificate } from "./credential/certificate.ts";
import type { Credential } from "./credential/credential.ts";
import { credentialOf, impersonationHeaders } from "./credential/user-credential.ts";
import { ConfigError } from "./error/config-error.ts";
import type { Host } from "./host/host.ts";
import type { ClusterConfig } from "./kubeconfig/kubeconfig.ts";
import { readSource } from "./kubeconfig/source.ts";
import type { ConnectionLimits, Endpoint, TlsMaterial } from "./network/endpoint.ts";
import { createNetworkTransport } from "./network/network.ts";
import { proxyFor } from "./network/proxy.ts";
import { isPlaintext } from "./network/plaintext.ts";
import type { Transport } from "./transport/transport.ts";

/** A transport to the configured cluster. It reads and connects on the first request. */
export function transportTo(config: ClusterConfig, host: Host, limits?: Partial<ConnectionLimits>): Transport {
  const credential = credentialOf(host, config);
  const server = new URL(config.cluster.server);
  const proxy = proxyFor(server, config.cluster.proxyUrl, host.env);
  if (isPlaintext(server, proxy)) rejectPlaintextCredentials(config, host);
  const endpoint: Endpoint = {
    server,
    tls: () => tlsOf(config, host, credential),
    proxy,
    clock: host.clock,
    limits,
  };
  const { impersonate } = config.user;
  const headers = impersonate === undefined ? {} : impersonationHeaders(impersonate);
  return authenticated(createNetworkTransport(endpoint), credential, { headers });
}

/** Credentials are not sent in plain text. client-go silently omits them and is then anonymous. */
function rejectPlaintextCredentials({ name, cluster, user }: ClusterConfig, { env }: Host): void {
  if (user.proof.type === "none" || env[ALLOW_PLAINTEXT] === "true") return;
  throw new ConfigError(
    "Contradiction",
    `Cannot use the context "${name}": its user's credentials would be sent to ${cluster.server} unencrypted. ` +
      "Use the https address of the server; take the credentials out of the user, if it wants none; or, on a network that you trust, set " +
      `${ALLOW_PLAINTEXT}=true in the environment.`,
  );
}

/** A separate variable: skipping certificate checks does not imply plain text. */
const ALLOW_PLAINTEXT = "CAPSTAN_CREDENTIALS_IN_THE_CLEAR";

/** Certificates may accompany a token or come from the same plugin. */
async function tlsOf({ cluster, user }: ClusterConfig, host: Host, credential: Credential): Promise<TlsMaterial> {
  const { certificateAuthority, tlsServerName, insecureSkipTlsVerify } = cluster;
  const [ca, identity, own] = await Promise.all([
    certificateAuthority === undefined ? undefined : readSource(host, certificateAuthority),
    credential.current(),
    readCertificate(host, user),
  ]);
  const { cert, key } = identity.cert === undefined ? own : identity;
  return { ca, cert, key, servername: tlsServerName, insecure: insecureSkipTlsVerify };
}
