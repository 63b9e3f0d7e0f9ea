/** One conversation with a registry: it logs in when asked to, tries again when that may help, and explains refusals. */
import { OciError } from "../errors.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { type Challenge, parseChallenge } from "./challenge.ts";

/** The part of `fetch` that we need; handed in, so that tests need no network. */
export type Fetch = (url: string, init: RequestInit & { readonly duplex?: "half" }) => Promise<Response>;

export interface SessionOptions {
  readonly fetch: Fetch;
  readonly credentials: CredentialSource;
  /** Waits between tries. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Registries that speak plain HTTP; loopback always may. */
  readonly insecure?: readonly string[] | undefined;
}

export interface Ask {
  readonly method: string;
  readonly headers?: { readonly [name: string]: string };
  /** Made anew for each try, because a stream can be read only once. */
  readonly body?: () => RequestInit["body"];
  /** Answers that are not errors, beside 2xx. */
  readonly expect?: readonly number[];
  /** How often it is tried when nobody answers. */
  readonly tries?: number;
}

const tries = 4;

export class RegistrySession {
  readonly registry: string;
  readonly #options: SessionOptions;
  readonly #base: string;
  #authorization: string | undefined;

  constructor(registry: string, options: SessionOptions) {
    this.registry = registry;
    this.#options = options;
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    this.#base = `${isPlain(registry, options.insecure ?? []) ? "http" : "https"}://${host}`;
  }

  /** The same conversation, held by somebody who may have credentials of their own. */
  withCredentials(own: CredentialSource): RegistrySession {
    const { credentials } = this.#options;
    return new RegistrySession(this.registry, {
      ...this.#options,
      credentials: async (registry) => (await own(registry)) ?? credentials(registry),
    });
  }

  /** Asks, with a path of this registry or a whole address that it gave us. */
  async ask(path: string, ask: Ask): Promise<Response> {
    const url = new URL(path, this.#base).href;
    for (let attempt = 1; ; attempt++) {
      const response = await this.#try(url, ask);
      if (response instanceof Response && !isPassing(response.status)) {
        if (response.status !== 401) return this.#accept(response, url, ask);
        await this.#logIn(response, url);
        return this.#accept(await this.#send(url, ask), url, ask);
      }
      if (attempt >= (ask.tries ?? tries)) throw unreachable(this.registry, response);
      const retryAfter = response instanceof Response ? Number(response.headers.get("retry-after") ?? 0) * 1000 : 0;
      await this.#options.wait(Math.max(retryAfter, 200 * 2 ** attempt));
    }
  }

  async #try(url: string, ask: Ask): Promise<Response | Error> {
    try {
      return await this.#send(url, ask);
    } catch (error) {
      if (this.#options.signal?.aborted === true || !(error instanceof Error)) throw error;
      return error;
    }
  }

  #send(url: string, { method, headers, body }: Ask): Promise<Response> {
    const sameHost = new URL(url).origin === this.#base;
    return this.#options.fetch(url, {
      method,
      headers: {
        ...headers,
        ...(sameHost && this.#authorization !== undefined ? { authorization: this.#authorization } : {}),
      },
      ...(body === undefined ? {} : { body: body() ?? null, duplex: "half" as const }),
      ...(this.#options.signal === undefined ? {} : { signal: this.#options.signal }),
    });
  }

  async #accept(response: Response, url: string, { method, expect = [] }: Ask): Promise<Response> {
    if (response.ok || expect.includes(response.status)) return response;
    const said = await explanation(response);
    const what = `${method} ${new URL(url).pathname} at ${this.registry}`;
    if (response.status === 404)
      throw new OciError("NotFound", `${what}: there is no such image or blob${said}; check the name and the tag`, {
        status: 404,
      });
    if (response.status === 401 || response.status === 403) {
      throw new OciError(
        "Unauthorized",
        `${what}: the registry does not let us${said}; log in with \`docker login ${this.registry}\` or give credentials`,
        { status: response.status },
      );
    }
    throw new OciError("Refused", `${what}: the registry answered ${response.status}${said}`, {
      status: response.status,
    });
  }

  async #logIn(response: Response, url: string): Promise<void> {
    const challenge = parseChallenge(response.headers.get("www-authenticate") ?? "");
    const credentials = await this.#options.credentials(this.registry);
    await response.body?.cancel();
    if (challenge === undefined)
      throw new OciError(
        "Unauthorized",
        `${this.registry} wants a login at ${new URL(url).pathname} and does not say how`,
      );
    if (challenge.scheme === "bearer") this.#authorization = `Bearer ${await this.#token(challenge, credentials)}`;
    else if (credentials?.type === "password") this.#authorization = basic(credentials);
    else
      throw new OciError(
        "Unauthorized",
        `${this.registry} wants a user name and password; log in with \`docker login ${this.registry}\``,
      );
  }

  async #token(
    { realm, service, scope }: Extract<Challenge, { scheme: "bearer" }>,
    credentials: Credentials | undefined,
  ): Promise<string> {
    const query = new URLSearchParams({
      ...(service === undefined ? {} : { service }),
      ...(scope === undefined ? {} : { scope }),
    });
    const refresh =
      credentials?.type === "token"
        ? new URLSearchParams({
            ...Object.fromEntries(query),
            grant_type: "refresh_token",
            client_id: "capstan",
            refresh_token: credentials.token,
          })
        : undefined;
    const response =
      refresh === undefined
        ? await this.#options.fetch(`${realm}?${query.toString()}`, {
            headers: credentials?.type === "password" ? { authorization: basic(credentials) } : {},
          })
        : await this.#options.fetch(realm, { method: "POST", body: refresh });
    if (!response.ok)
      throw new OciError(
        "Unauthorized",
        `${new URL(realm).host} gave no token for ${this.registry} (${response.status}); check the user name and password`,
      );
    const { token, access_token: access } = (await response.json()) as {
      readonly token?: string;
      readonly access_token?: string;
    };
    return token ?? access ?? "";
  }
}

function basic({ username, password }: Extract<Credentials, { type: "password" }>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Loopback needs no TLS: nobody is in between. */
function isPlain(registry: string, insecure: readonly string[]): boolean {
  return insecure.includes(registry) || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);
}

function isPassing(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** What the registry itself says about a refusal, cut short. */
async function explanation(response: Response): Promise<string> {
  const text = (await response.text()).slice(0, 2000);
  try {
    const { errors = [] } = JSON.parse(text) as {
      readonly errors?: readonly { readonly code?: string; readonly message?: string }[];
    };
    return errors.length === 0 ? "" : ` (${errors.map(({ code, message }) => `${code}: ${message}`).join("; ")})`;
  } catch {
    return "";
  }
}

function unreachable(registry: string, last: Response | Error): OciError {
  const why = last instanceof Response ? `it answered ${last.status}` : describe(last);
  return new OciError(
    "Unreachable",
    `could not reach ${registry} in ${tries} tries: ${why}; check the name, the network and the proxy`,
    { cause: last },
  );
}

function describe(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
