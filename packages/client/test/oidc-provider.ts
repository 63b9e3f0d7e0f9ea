/** An OpenID Connect provider for tests: it accepts each refresh token once and rotates it. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { http1Server } from "./server.ts";

/** A token with its expiry and an id. */
export function idToken(expiresAt: number, id: string): string {
  const parts = ["{}", JSON.stringify({ exp: Math.floor(expiresAt / 1000), id })];
  return [...parts.map((part) => Buffer.from(part).toString("base64url")), "c2ln"].join(".");
}

/** A running provider. */
export interface Provider extends AsyncDisposable {
  readonly url: URL;
  /** The refresh tokens that it received. */
  readonly asked: string[];
  /** The refresh tokens that it issued, oldest first: only the last one is valid. */
  readonly given: string[];
  readonly idTokens: string[];
}

/** The options of a provider. */
export interface ProviderOptions {
  /** The expiry of the next token. */
  readonly expiresAt: () => number;
  /** Awaited before a refusal and before a grant. */
  readonly before?: (answer: "refused" | "given") => Promise<void>;
  /** Refresh tokens never expire and are not rotated. */
  readonly lasting?: boolean;
}

/** Starts a provider that accepts `refresh-1` first and issues `refresh-2` for it. */
export async function startProvider({ expiresAt, before, lasting = false }: ProviderOptions): Promise<Provider> {
  const [asked, given, idTokens]: [string[], string[], string[]] = [[], ["refresh-1"], []];

  function grant(): object {
    const id_token = idToken(expiresAt(), `id-${idTokens.length + 1}`);
    idTokens.push(id_token);
    const granted = { access_token: "unused", token_type: "Bearer", id_token };
    if (lasting) return granted;
    given.push(`refresh-${given.length + 1}`);
    return { ...granted, refresh_token: given.at(-1) };
  }

  async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
    if (request.method === "GET") return [200, { token_endpoint: new URL("/token", running.url).href }];
    const token = new URLSearchParams(await text(request)).get("refresh_token") ?? "";
    asked.push(token);
    const tokens = token === given.at(-1) ? grant() : undefined;
    await before?.(tokens === undefined ? "refused" : "given");
    return tokens === undefined ? [400, { error: "invalid_grant" }] : [200, tokens];
  }

  const running = await http1Server((request, response) => {
    void answer(request).then(([status, body]) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
  });
  return { ...running, asked, given, idTokens };
}
