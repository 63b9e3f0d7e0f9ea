/** Stores OIDC tokens in their kubeconfig: reads what other processes wrote, and writes new tokens. */
import { sleep } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import type { OidcEntry, UserOrigin } from "../kubeconfig/kubeconfig.ts";
import { tokensIn, withTokens } from "../kubeconfig/user-tokens.ts";
import type { Tokens } from "../kubeconfig/user-tokens.ts";

/** Tokens that outlive the process. */
export interface TokenStore {
  /** The stored tokens if they changed; with "wait", polls because another process is about to write them. */
  reload(mode: "once" | "wait"): Promise<Tokens | undefined>;
  /** Never fails: a token that cannot be stored can still be used. */
  write(tokens: Tokens): Promise<void>;
}

/** For configurations without a file. */
export const noTokenStore: TokenStore = { reload: async () => undefined, write: async () => {} };

/** How often and at which interval the file is polled. */
const maxReads = 40;
const readIntervalMs = 50;

/** The tokens of a user entry in its file. */
export function kubeconfigTokenStore(host: Host, entry: OidcEntry, origin: UserOrigin): TokenStore {
  const holder = { ...origin, entry };
  let known: Tokens = entry;
  let warned = false;

  async function readChanged(): Promise<Tokens | undefined> {
    const found = await present(host, holder);
    if (found === undefined || isSame(found, known)) return undefined;
    // The previous ID token has been used: only a different one is worth a try.
    const idToken = found.idToken === known.idToken ? undefined : found.idToken;
    known = found;
    return { ...found, idToken };
  }

  async function reload(mode: "once" | "wait"): Promise<Tokens | undefined> {
    let found = await readChanged();
    for (let left = mode === "once" ? 0 : maxReads; left > 0 && found === undefined; left -= 1) {
      await sleep(host.clock, readIntervalMs);
      found = await readChanged();
    }
    return found;
  }

  async function write(tokens: Tokens): Promise<void> {
    if (host.rewriteFile === undefined) return;
    // If our refresh token is unchanged, another process may have replaced it: keep the one in the file.
    const fresh = tokens.refreshToken === known.refreshToken ? { idToken: tokens.idToken } : tokens;
    try {
      await host.rewriteFile(origin.file, (text) => withTokens(text, holder, fresh));
      known = tokens;
    } catch (error) {
      if (!warned) host.warn?.(notWrittenMessage(holder, error));
      warned = true;
    }
  }

  return { reload, write };
}

/** An unreadable file has no changes; a later read reports the error. */
async function present(host: Host, holder: UserOrigin & { entry: OidcEntry }): Promise<Tokens | undefined> {
  try {
    return await tokensIn(await host.readFile(holder.file), holder);
  } catch {
    return undefined;
  }
}

function isSame(one: Tokens, other: Tokens): boolean {
  return one.idToken === other.idToken && one.refreshToken === other.refreshToken;
}

function notWrittenMessage({ file, entry }: UserOrigin & { entry: OidcEntry }, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return (
    `Cannot keep the renewed tokens of the OpenID Connect provider ${entry.issuer} in ${file}: ${why}. ` +
    "This process goes on with them; others may have to log in again."
  );
}
