/** A client certificate, read again when the server no longer accepts it. */
import type { Host } from "../host/host.ts";
import type { UserEntry } from "../kubeconfig/kubeconfig.ts";
import { readSource } from "../kubeconfig/source.ts";
import { anonymous, fixed } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";

/** The credential of a user with a client certificate, or anonymous. */
export function certificateOf(host: Pick<Host, "readFile">, user: UserEntry): Credential {
  if (user.clientCertificate === undefined) return fixed(anonymous);
  let known: Identity | undefined;

  async function read(): Promise<Identity> {
    const fresh = { headers: {}, ...(await readCertificate(host, user)) };
    if (known === undefined || known.cert !== fresh.cert || known.key !== fresh.key) known = fresh;
    return known;
  }

  return { current: () => known ?? read(), renew: read };
}

/** The current certificate and key of a user entry. */
export async function readCertificate(
  host: Pick<Host, "readFile">,
  { clientCertificate, clientKey }: UserEntry,
): Promise<Pick<Identity, "cert" | "key">> {
  if (clientCertificate === undefined || clientKey === undefined) return {};
  const [cert, key] = await Promise.all([readSource(host, clientCertificate), readSource(host, clientKey)]);
  return { cert, key };
}
