/** OpenID Connect: uses the ID token of the kubeconfig and, when it has expired, gets a new one for the refresh token. */
import type { Host } from "../host/host.ts";
import type { OidcEntry, UserOrigin } from "../kubeconfig/kubeconfig.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential } from "./credential.ts";
import { kubeconfigTokenStore, noTokenStore } from "./token-store.ts";
import { InvalidGrantError, oidcFailure, refreshTokens } from "./oidc-grant.ts";

/** A token is renewed a little before it expires: clocks differ, requests take time. */
const renewBeforeMs = 10_000;

/** The credential of an OpenID Connect provider. New tokens are kept where the old ones came from, if that was a file. */
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

  /** What another process or a new login has written meanwhile is newer than what we remember. */
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
      // Another process was faster with the same token, and has yet to write down what it got for it.
      if (!(error instanceof InvalidGrantError) || !(await reloadTokens("wait"))) throw error;
      return takeUnusedIdToken() ?? (await renew());
    }
  }

  // A refresh token may be good for one use: what was sent is brought to its end, whoever gave up waiting.
  return cached(host.clock, fetch, "continue");
}

function toIssued({ issuer }: OidcEntry, token: string): Issued {
  const expiry = expiryOf(token);
  const identity = bearer(token, `the OpenID Connect provider ${issuer}`);
  return { identity, expiresAt: expiry === undefined ? undefined : expiry - renewBeforeMs };
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
