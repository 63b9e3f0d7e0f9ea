/** The OpenID Connect tokens of one user in the text of a kubeconfig: found there, and replaced there. */
import type { OidcEntry, UserOrigin } from "./kubeconfig.ts";
import { parseKubeconfig } from "./parse.ts";
import { setFields } from "./set-fields.ts";

/** What a provider gave. */
export interface Tokens {
  readonly idToken?: string | undefined;
  readonly refreshToken?: string | undefined;
}

/** Whose tokens: those of a user of a file, as long as it is the same client of the same provider. */
export interface TokenLocation extends UserOrigin {
  readonly entry: Pick<OidcEntry, "issuer" | "clientId">;
}

/** The tokens that stand there; undefined where the user is gone, or has become somebody else. */
export async function tokensIn(text: string, { file, user, entry }: TokenLocation): Promise<Tokens | undefined> {
  const proof = (await parseKubeconfig(text, file)).users.get(user)?.().proof;
  if (proof?.type !== "oidc") return undefined;
  const { issuer, clientId, idToken, refreshToken } = proof.oidc;
  return issuer === entry.issuer && clientId === entry.clientId ? { idToken, refreshToken } : undefined;
}

/** The text with these tokens instead; undefined where there is no longer anybody to have them. */
export async function withTokens(text: string, location: TokenLocation, tokens: Tokens): Promise<string | undefined> {
  if ((await tokensIn(text, location)) === undefined) return undefined;
  const { users } = await parseKubeconfig(text, location.file);
  const place = [...users.keys()].indexOf(location.user);
  const { idToken, refreshToken } = tokens;
  return setFields(text, ["users", place, "user", "auth-provider", "config"], {
    ...(idToken === undefined ? {} : { "id-token": idToken }),
    ...(refreshToken === undefined ? {} : { "refresh-token": refreshToken }),
  });
}
