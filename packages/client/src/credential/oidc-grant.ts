/** Exchanges a refresh token for new tokens at an OpenID Connect provider. */
import { ApiError } from "../error/api-error.ts";
import type { ApiErrorInit } from "../error/api-error.ts";
import { ConnectionError } from "../error/connection-error.ts";
import type { Host } from "../host/host.ts";
import type { OidcEntry } from "../kubeconfig/kubeconfig.ts";
import { readSource } from "../kubeconfig/source.ts";
import { createNetworkTransport } from "../network/network.ts";
import { proxyFor } from "../network/proxy.ts";
import { isPlaintext } from "../network/plaintext.ts";
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";

/** The new tokens; the refresh token only if the provider rotates it. */
export interface RefreshedTokens {
  readonly idToken: string;
  readonly refreshToken?: string | undefined;
}

/** The OIDC client for which a token is renewed. */
export interface OidcClient {
  readonly host: Host;
  readonly entry: OidcEntry;
}

/** The provider rejected the refresh token: it was used or has expired. */
export class InvalidGrantError extends ApiError {}

/** The time limit of the provider's response. */
const timeoutMs = 30_000;

/** OpenID Connect Core, section 12: the token endpoint from the discovery document returns a new ID token. */
export async function refreshTokens(client: OidcClient, refreshToken: string): Promise<RefreshedTokens> {
  const { entry } = client;
  const discovery = `${entry.issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
  const document = await exchange(client, { url: discovery });
  const endpoint = textOf(document, "token_endpoint");
  if (endpoint === undefined) throw oidcFailure(entry, "its discovery document names no token endpoint");
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: entry.clientId,
    ...(entry.clientSecret === undefined ? {} : { client_secret: entry.clientSecret }),
  });
  const answer = await exchange(client, { url: endpoint, form: form.toString() });
  const idToken = textOf(answer, "id_token");
  if (idToken === undefined) throw oidcFailure(entry, "its answer has no ID token");
  const next = textOf(answer, "refresh_token");
  return { idToken, refreshToken: next === "" ? undefined : next };
}

function textOf(value: unknown, name: string): string | undefined {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === "string" ? found : undefined;
}

interface TokenRequest {
  readonly url: string;
  /** Sent with POST. */
  readonly form?: string;
}

async function exchange({ host, entry }: OidcClient, ask: TokenRequest): Promise<unknown> {
  const { certificateAuthority } = entry;
  const server = URL.parse(ask.url);
  if (server === null || !/^https?:$/u.test(server.protocol)) {
    throw oidcFailure(entry, `"${ask.url}" is not a URL`);
  }
  const proxy = proxyFor(server, undefined, host.env);
  if (ask.form !== undefined && isPlaintext(server, proxy)) {
    throw oidcFailure(entry, `${placeOf(server)} is not an https URL, and the refresh token could be read on the way`);
  }
  const transport = createNetworkTransport({
    server: new URL(server.origin),
    clock: host.clock,
    proxy,
    tls: async () => ({
      ca: certificateAuthority === undefined ? undefined : await readSource(host, certificateAuthority),
    }),
  });
  const limit = new AbortController();
  const timer = host.clock.later(timeoutMs, () =>
    limit.abort(oidcFailure(entry, `${placeOf(server)} did not answer within ${timeoutMs / 1000} seconds`)),
  );
  try {
    return await parseResponse(
      entry,
      server,
      await transport.request({ ...requestOf(server, ask), signal: limit.signal }),
    );
  } catch (error) {
    if (error instanceof ConnectionError) throw unreachable(entry, error);
    if (error instanceof SyntaxError) throw oidcFailure(entry, `${placeOf(server)} did not answer in JSON`);
    throw error;
  } finally {
    timer.cancel();
    await transport.close();
  }
}

function requestOf({ pathname, search }: URL, { form }: TokenRequest): TransportRequest {
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" };
  return { method: form === undefined ? "GET" : "POST", path: pathname + search, headers, body: form };
}

/** RFC 6749, section 5.2: an invalid refresh token yields 400; some providers send 401. */
async function parseResponse(entry: OidcEntry, server: URL, { status, body }: TransportResponse): Promise<unknown> {
  if (status === 200) return body.json();
  const why = `${placeOf(server)} answered ${status}`;
  throw status === 400 || status === 401 ? new InvalidGrantError(failure(entry, why)) : oidcFailure(entry, why);
}

function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** A `ConnectionError` would name the API server, but the provider is unreachable. */
function unreachable({ issuer }: OidcEntry, error: ConnectionError): ApiError {
  const why = error.cause instanceof Error ? error.cause.message : error.code;
  const message = `Cannot renew the token: the OpenID Connect provider ${issuer} cannot be reached (${why}). Check its address, the network and the proxy.`;
  return new ApiError({ code: "CredentialsFailed", message, cause: error });
}

/** An error that says why the token was not renewed. */
export function oidcFailure(entry: OidcEntry, why: string): ApiError {
  return new ApiError(failure(entry, why));
}

function failure({ issuer }: OidcEntry, why: string): ApiErrorInit {
  const message = `Cannot renew the token of the OpenID Connect provider ${issuer}: ${why}. Log in again.`;
  return { code: "CredentialsFailed", message };
}
