/** OpenID Connect: uses the ID token of the kubeconfig, and renews an expired one with the refresh token. */
import type { Host } from "../host/host.ts";
import type { OidcEntry, UserOrigin } from "../kubeconfig/kubeconfig.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential } from "./credential.ts";
import { kubeconfigTokenStore, noTokenStore } from "./token-store.ts";
import { InvalidGrantError, oidcFailure, refreshTokens } from "./oidc-grant.ts";

/** Tokens are renewed early because clocks differ and requests take time. */
const renewBeforeMs = 10_000;

/** The credential of an OpenID Connect provider. New tokens are written back to the kubeconfig, if there is one. */
export function oidcProvider(host: Host, entry: OidcEntry, origin?: UserOrigin): Credential {
  const tokenStore = origin === undefined ? noTokenStore : kubeconfigTokenStore(host, entry, origin);
  let { refreshToken, idToken: unused } = entry;

  function takeUnusedIdToken(): Issued | undefined {
    const token = unused;
    unused = undefined;
    if (token === undefined || token === "") return undefined;
    const issued = toIssued(entry, token);
    return issued.expiresAt === undefined || issued.expiresAt > host.clock.wall() ? issued : undefined;
  }

  /** Tokens that another process or a new login wrote are newer than ours. */
  async function reloadTokens(mode: "once" | "wait"): Promise<boolean> {
    const reloaded = await tokenStore.reload(mode);
    if (reloaded === undefined) return false;
    ({ refreshToken, idToken: unused } = reloaded);
    return true;
  }

  async function renew(): Promise<Issued> {
    if (refreshToken === undefined || refreshToken === "") {
      throw oidcFailure(entry, "the ID token has expired and there is no refresh token");
    }
    const fresh = await refreshTokens({ host, entry }, refreshToken);
    refreshToken = fresh.refreshToken ?? refreshToken;
    const issued = toIssued(entry, fresh.idToken);
    await tokenStore.write({ idToken: fresh.idToken, refreshToken });
    return issued;
  }

  async function fetch(): Promise<Issued> {
    const first = takeUnusedIdToken();
    if (first !== undefined) return first;
    await reloadTokens("once");
    const other = takeUnusedIdToken();
    if (other !== undefined) return other;
    try {
      return await renew();
    } catch (error) {
      // Another process used the same refresh token first and has yet to write the result.
      if (!(error instanceof InvalidGrantError) || !(await reloadTokens("wait"))) throw error;
      return takeUnusedIdToken() ?? (await renew());
    }
  }

  // Refresh tokens may be valid once: a started exchange completes even if its caller stops waiting.
  return cached(host.clock, fetch, "continue");
}

function toIssued({ issuer }: OidcEntry, token: string): Issued {
  const expiry = expiryOf(token);
  const identity = bearer(token, `the OpenID Connect provider ${issuer}`);
  return { identity, expiresAt: expiry === undefined ? undefined : expiry - renewBeforeMs };
}

/** The expiry of a token in milliseconds since 1970. The server verifies the signature. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined;
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
