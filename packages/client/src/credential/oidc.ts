/** OpenID Connect: uses the ID token of the kubeconfig and, when it has expired, gets a new one for the refresh token. */
import type { Host } from "../host/host.ts";
import type { OidcEntry, UserOrigin } from "../kubeconfig/kubeconfig.ts";
import { cached } from "./cached.ts";
import type { Issued } from "./cached.ts";
import { bearer } from "./credential.ts";
import type { Credential } from "./credential.ts";
import { keptTokens, unkept } from "./kept-tokens.ts";
import { GrantRefusedError, oidcFailure, redeem } from "./oidc-grant.ts";

/** A token is renewed a little before it expires: clocks differ, requests take time. */
const earlyMs = 10_000;

/** The credential of an OpenID Connect provider. New tokens are kept where the old ones came from, if that was a file. */
export function oidcProvider(host: Host, entry: OidcEntry, origin?: UserOrigin): Credential {
  const kept = origin === undefined ? unkept : keptTokens(host, entry, origin);
  let { refreshToken, idToken: unused } = entry;

  function takeUnused(): Issued | undefined {
    const token = unused;
    unused = undefined;
    if (token === undefined || token === "") return undefined;
    const issued = toIssued(entry, token);
    return issued.expiresAt === undefined || issued.expiresAt > host.clock.wall() ? issued : undefined;
  }

  /** What another process or a new login has written meanwhile is newer than what we remember. */
  async function takeNews(look: "once" | "patiently"): Promise<boolean> {
    const news = await kept.news(look);
    if (news === undefined) return false;
    ({ refreshToken, idToken: unused } = news);
    return true;
  }

  async function renew(): Promise<Issued> {
    if (refreshToken === undefined || refreshToken === "") {
      throw oidcFailure(entry, "the ID token has expired and there is no refresh token");
    }
    const fresh = await redeem({ host, entry }, refreshToken);
    refreshToken = fresh.refreshToken ?? refreshToken;
    const issued = toIssued(entry, fresh.idToken);
    await kept.write({ idToken: fresh.idToken, refreshToken });
    return issued;
  }

  async function fetch(): Promise<Issued> {
    const first = takeUnused();
    if (first !== undefined) return first;
    await takeNews("once");
    const other = takeUnused();
    if (other !== undefined) return other;
    try {
      return await renew();
    } catch (error) {
      // Another process was faster with the same token, and has yet to write down what it got for it.
      if (!(error instanceof GrantRefusedError) || !(await takeNews("patiently"))) throw error;
      return takeUnused() ?? (await renew());
    }
  }

  // A refresh token may be good for one use: what was sent is brought to its end, whoever gave up waiting.
  return cached(host.clock, fetch, "goes on");
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
