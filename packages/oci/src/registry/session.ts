/** A session with a registry: it logs in on a challenge, retries where that may help, and explains errors. */
import { OciError } from "../errors.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import { type After, arriving, PATIENCE, readBeginning, readDocument } from "./body.ts";
import { type Challenge, parseChallenge } from "./challenge.ts";
import { follow, type Followed, parseTarget, refuseDowngrade } from "./follow.ts";

/** The part of `fetch` that is used; passed in, so that tests need no network. */
export type Fetch = (url: string, init: RequestInit & { readonly duplex?: "half" }) => Promise<Response>;

export interface SessionOptions {
  readonly fetch: Fetch;
  readonly credentials: CredentialSource;
  /** Waits between attempts. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Runs a function later: the timeout of a registry that does not respond, or stalls. */
  readonly after?: After | undefined;
  /** Registries over plain HTTP; loopback is always allowed. */
  readonly insecure?: readonly string[] | undefined;
}

export interface Ask {
  readonly method: string;
  readonly headers?: { readonly [name: string]: string };
  /** Created for each attempt, because a stream can be read only once. */
  readonly body?: () => RequestInit["body"];
  /** Expected statuses in addition to 2xx. */
  readonly expect?: readonly number[];
  /** The number of attempts when there is no response. */
  readonly tries?: number;
}

const tries = 4;

/** The longest pause that a registry may request. */
const longestPause = 60_000;

export class RegistrySession {
  readonly registry: string;
  readonly #options: SessionOptions;
  readonly #base: URL;
  #authorization: string | undefined;

  constructor(registry: string, options: SessionOptions) {
    this.registry = registry;
    this.#options = options;
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    this.#base = new URL(`${isPlain(registry, options.insecure ?? []) ? "http" : "https"}://${host}`);
  }

  /** The same session with other credentials, which may be those of a single caller. */
  withCredentials(own: CredentialSource): RegistrySession {
    const { credentials } = this.#options;
    return new RegistrySession(this.registry, {
      ...this.#options,
      credentials: async (registry) => (await own(registry)) ?? credentials(registry),
    });
  }

  /** Sends a request to a path of this registry or to an absolute address that it returned. */
  async ask(path: string, ask: Ask): Promise<Response> {
    const url = parseTarget(path, this.#base);
    refuseDowngrade(this.#base, url);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#try(url, ask);
      if (!(answer instanceof Error) && !isPassing(answer.response.status)) {
        if (answer.response.status !== 401) return this.#accept(answer, ask);
        await this.#logIn(answer);
        return this.#accept(await this.#send(url, ask), ask);
      }
      const last = answer instanceof Error ? answer : answer.response;
      if (last instanceof Response) await last.body?.cancel();
      if (attempt >= (ask.tries ?? tries)) throw unreachable(this.registry, last);
      await this.#options.wait(Math.max(pauseOf(last), 200 * 2 ** attempt));
    }
  }

  /** The bytes of a blob, as they arrive. */
  chunksOf(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
    return arriving(response, { after: this.#options.after, kind: "blob" });
  }

  /** The bytes of a document, which is small. */
  documentOf(response: Response, what: string): Promise<Buffer> {
    return readDocument(response, { what: `${what} of ${this.registry}`, after: this.#options.after });
  }

  async jsonOf(response: Response, what: string): Promise<unknown> {
    const bytes = await this.documentOf(response, what);
    try {
      return JSON.parse(bytes.toString("utf8"));
    } catch (cause) {
      throw new OciError("BadImage", `could not read ${what} of ${this.registry}: it is not JSON`, { cause });
    }
  }

  async #try(url: URL, ask: Ask): Promise<Followed | Error> {
    try {
      return await this.#send(url, ask);
    } catch (error) {
      if (this.#options.signal?.aborted === true || !(error instanceof Error) || error instanceof OciError) throw error;
      return error;
    }
  }

  #send(first: URL, { method, headers, body }: Ask): Promise<Followed> {
    return follow(first, this.#fetch, (url) => ({
      method,
      headers: {
        ...headers,
        ...(this.#isOwn(url) && this.#authorization !== undefined ? { authorization: this.#authorization } : {}),
      },
      ...(body === undefined ? {} : { body: body() ?? null, duplex: "half" as const }),
    }));
  }

  /** Times out when no response begins in time; requests with a body may take as long as the upload takes. */
  readonly #fetch: Fetch = async (url, init) => {
    const { fetch, signal, after } = this.#options;
    const late = new AbortController();
    const timer =
      (init.body ?? null) === null ? after?.(PATIENCE, () => late.abort(new Error("it did not answer"))) : undefined;
    const silence = new Promise<never>((_, reject) => {
      late.signal.addEventListener("abort", () => reject(late.signal.reason as Error));
    });
    silence.catch(() => {});
    try {
      const any = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      return await Promise.race([fetch(url, { ...init, signal: any }), silence]);
    } finally {
      timer?.cancel();
    }
  };

  #isOwn(url: URL): boolean {
    return url.origin === this.#base.origin;
  }

  async #accept({ response, url }: Followed, { method, expect = [] }: Ask): Promise<Response> {
    if (response.ok || expect.includes(response.status)) return response;
    const said = explanation(await readBeginning(response, this.#options.after));
    const what = `${method} ${url.pathname} at ${this.#isOwn(url) ? this.registry : url.host}`;
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

  /** Answers a challenge of the registry itself. The target of a redirect does not get the registry's credentials. */
  async #logIn({ response, url }: Followed): Promise<void> {
    await response.body?.cancel();
    if (!this.#isOwn(url))
      throw new OciError("Unauthorized", `${this.registry} leads to ${url.host}, which wants a login; it gets none`, {
        status: 401,
      });
    const challenge = parseChallenge(response.headers.get("www-authenticate") ?? "");
    const credentials = await this.#options.credentials(this.registry);
    if (challenge === undefined)
      throw new OciError("Unauthorized", `${this.registry} wants a login at ${url.pathname} and does not say how`);
    if (challenge.scheme === "bearer") this.#authorization = `Bearer ${await this.#token(challenge, credentials)}`;
    else if (credentials?.type === "password") this.#authorization = basic(credentials);
    else
      throw new OciError(
        "Unauthorized",
        `${this.registry} wants a user name and password; log in with \`docker login ${this.registry}\``,
      );
  }

  async #token(challenge: Extract<Challenge, { scheme: "bearer" }>, credentials?: Credentials): Promise<string> {
    const realm = this.#realmOf(challenge);
    const { response } = await follow(realm, this.#fetch, (url) => {
      const isRealm = url.origin === realm.origin;
      if (credentials?.type === "token") {
        if (!isRealm) throw new OciError("Unauthorized", `${realm.host} leads to ${url.host}, which gets no token`);
        return { method: "POST", body: refreshOf(realm, credentials.token) };
      }
      const login = isRealm && credentials?.type === "password" ? { authorization: basic(credentials) } : {};
      return { method: "GET", headers: login };
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new OciError(
        "Unauthorized",
        `${realm.host} gave no token for ${this.registry} (${response.status}); check the user name and password`,
      );
    }
    const answer = (await this.jsonOf(response, "the token")) as { readonly [name: string]: unknown } | null;
    const token = answer?.["token"] ?? answer?.["access_token"];
    if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return token;
    throw new OciError(
      "Unauthorized",
      `${realm.host} gave no token for ${this.registry}; ask the administrator of the registry`,
    );
  }

  /** The token endpoint: the registry names it, often on another host, and with plain HTTP only if the registry itself uses plain HTTP. */
  #realmOf({ realm, service, scope }: Extract<Challenge, { scheme: "bearer" }>): URL {
    const url = parseTarget(realm, this.#base);
    refuseDowngrade(this.#base, url);
    if (service !== undefined) url.searchParams.set("service", service);
    if (scope !== undefined) url.searchParams.set("scope", scope);
    return url;
  }
}

function refreshOf({ searchParams }: URL, token: string): URLSearchParams {
  return new URLSearchParams({
    ...Object.fromEntries(searchParams),
    grant_type: "refresh_token",
    client_id: "capstan",
    refresh_token: token,
  });
}

/** The pause that a registry requests, in milliseconds. */
function pauseOf(last: Response | Error): number {
  const seconds = last instanceof Response ? Number(last.headers.get("retry-after") ?? 0) : 0;
  return seconds > 0 ? Math.min(seconds * 1000, longestPause) : 0;
}

function basic({ username, password }: Extract<Credentials, { type: "password" }>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Loopback needs no TLS: the traffic stays on the machine. */
function isPlain(registry: string, insecure: readonly string[]): boolean {
  return insecure.includes(registry) || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry);
}

function isPassing(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

/** The registry's explanation of an error, truncated. */
function explanation(text: string): string {
  try {
    const { errors = [] } = JSON.parse(text) as {
      readonly errors?: readonly { readonly code?: string; readonly message?: string }[];
    };
    const said = errors.map(({ code, message }) => `${code}: ${message}`).join("; ");
    return said === "" ? "" : ` (${said.slice(0, 2000)})`;
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
