/** An OpenID Connect provider of the tests' own: it takes each refresh token once and gives another one for it. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { http1Server } from "./server.ts";

/** A token that says until when it holds, and which one it is. */
export function idToken(expiresAt: number, id: string): string {
  const parts = ["{}", JSON.stringify({ exp: Math.floor(expiresAt / 1000), id })];
  return [...parts.map((part) => Buffer.from(part).toString("base64url")), "c2ln"].join(".");
}

/** A provider that runs. */
export interface Provider extends AsyncDisposable {
  readonly url: URL;
  /** The refresh tokens that it was asked with. */
  readonly asked: string[];
  /** Those that it gave, oldest first: only the last one is good. */
  readonly given: string[];
  readonly idTokens: string[];
}

/** How a provider behaves. */
export interface ProviderOptions {
  /** When the next token that it gives expires. */
  readonly expiresAt: () => number;
  /** Waited for before somebody is refused, and before somebody is given something. */
  readonly before?: (answer: "refused" | "given") => Promise<void>;
  /** A refresh token holds for ever: none is given with the ID token. */
  readonly lasting?: boolean;
}

/** Starts a provider that takes `refresh-1` first, and gives `refresh-2` for it. */
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
