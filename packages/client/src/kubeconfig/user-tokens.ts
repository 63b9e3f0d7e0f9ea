/** Reads and replaces the OIDC tokens of a user in the text of a kubeconfig. */
import type { OidcEntry, UserOrigin } from "./kubeconfig.ts";
import { parseKubeconfig } from "./parse.ts";
import { setFields } from "./set-fields.ts";

/** The tokens of a provider. */
export interface Tokens {
  readonly idToken?: string | undefined;
  readonly refreshToken?: string | undefined;
}

/** The user entry of the tokens, for the same client and provider. */
export interface TokenLocation extends UserOrigin {
  readonly entry: Pick<OidcEntry, "issuer" | "clientId">;
}

/** The stored tokens; undefined if the user is gone or has another provider. */
export async function tokensIn(text: string, { file, user, entry }: TokenLocation): Promise<Tokens | undefined> {
  const proof = (await parseKubeconfig(text, file)).users.get(user)?.().proof;
  if (proof?.type !== "oidc") return undefined;
  const { issuer, clientId, idToken, refreshToken } = proof.oidc;
  return issuer === entry.issuer && clientId === entry.clientId ? { idToken, refreshToken } : undefined;
}

/** The text with new tokens; undefined if the user entry is gone. */
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
