/** OpenID Connect: uses the ID token of the kubeconfig and, when it has expired, gets a new one for the refresh token. */
import { ApiError } from "../error/api-error.ts";
import type { Host } from "../host/host.ts";
import type { OidcEntry } from "../kubeconfig/kubeconfig.ts";
import { readSource } from "../kubeconfig/source.ts";
import { createNetworkTransport } from "../network/network.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential } from "./credential.ts";

/** A token is renewed a little before it expires: clocks differ, requests take time. */
const earlyMs = 10_000;

/** The credential of an OpenID Connect provider. New tokens are kept in memory; the kubeconfig is not written. */
export function oidcProvider(host: Host, entry: OidcEntry): Credential {
  let { refreshToken } = entry;
  let unused = entry.idToken;
  return cached(host.clock, async (signal) => {
    const first = unused;
    unused = undefined;
    if (first !== undefined && first !== "") {
      const issued = toIssued(entry, first);
      if (issued.expiresAt === undefined || issued.expiresAt > host.clock.wall()) return issued;
    }
    if (refreshToken === undefined || refreshToken === "") {
      throw failed(entry, "the ID token has expired and there is no refresh token");
    }
    const fresh = await refresh({ host, entry, signal }, refreshToken);
    refreshToken = fresh.refresh_token ?? refreshToken;
    return toIssued(entry, fresh.id_token);
  });
}

function toIssued({ issuer }: OidcEntry, token: string): Issued {
  const expiry = expiryOf(token);
  const identity = bearer(token, `the OpenID Connect provider ${issuer}`);
  return { identity, expiresAt: expiry === undefined ? undefined : expiry - earlyMs };
}

/** When a token expires, in milliseconds since 1970. Who signed it is the server's business. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined;
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

interface Tokens {
  readonly id_token: string;
  readonly refresh_token?: string;
}

/** OpenID Connect Core, section 12: the token endpoint, found by the discovery document, gives a new ID token. */
async function refresh(renewal: Renewal, refreshToken: string): Promise<Tokens> {
  const { entry } = renewal;
  const discovery = `${entry.issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const document = await exchange(renewal, { url: discovery });
  const endpoint = textOf(document, "token_endpoint");
  if (endpoint === undefined) throw failed(entry, "its discovery document names no token endpoint");
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: entry.clientId,
    ...(entry.clientSecret === undefined ? {} : { client_secret: entry.clientSecret }),
  });
  const answer = await exchange(renewal, { url: endpoint, form: form.toString() });
  const idToken = textOf(answer, "id_token");
  if (idToken === undefined) throw failed(entry, "its answer has no ID token");
  const next = textOf(answer, "refresh_token");
  return next === undefined ? { id_token: idToken } : { id_token: idToken, refresh_token: next };
}

function textOf(value: unknown, name: string): string | undefined {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** For whom a token is renewed, and until when it matters. */
interface Renewal {
  readonly host: Host;
  readonly entry: OidcEntry;
  readonly signal: AbortSignal;
}

interface Ask {
  readonly url: string;
  /** Sent by POST. */
  readonly form?: string;
}

async function exchange({ host, entry, signal }: Renewal, { url, form }: Ask): Promise<unknown> {
  const { certificateAuthority } = entry;
  const server = URL.parse(url);
  if (server === null || !/^https?:$/u.test(server.protocol)) throw failed(entry, `"${url}" is no address of the web`);
  const transport = createNetworkTransport({
    server: new URL(server.origin),
    clock: host.clock,
    tls: async () => ({
      ca: certificateAuthority === undefined ? undefined : await readSource(host, certificateAuthority),
    }),
  });
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
  const path = server.pathname + server.search;
  try {
    const response = await transport.request({
      method: form === undefined ? "GET" : "POST",
      path,
      headers,
      body: form,
      signal,
    });
    if (response.status === 200) return await response.body.json();
    throw failed(entry, `${server.origin}${server.pathname} answered ${response.status}`);
  } finally {
    await transport.close();
  }
}

function failed({ issuer }: OidcEntry, why: string): ApiError {
  const message = `Cannot renew the token of the OpenID Connect provider ${issuer}: ${why}. Log in again.`;
  return new ApiError({ code: "CredentialsFailed", message });
}
