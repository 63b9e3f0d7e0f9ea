/** A proxy between the operator and the API server: it counts writes, and kills the operator before the first write over its allowance. */
import { request } from "node:https";
import { createSecureServer } from "node:http2";
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { readFile, writeFile } from "node:fs/promises";
import { createAuthority, validFor } from "capstan/pki";
import { parse, stringify } from "yaml";

interface Config {
  readonly clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  readonly users: { user: { [field: string]: string } }[];
}

/** Options of the proxy. */
export interface TollOptions {
  /** The kubeconfig of the API server behind the proxy. */
  readonly kubeconfig: string;
  /** The path for the operator's kubeconfig, which leads through the proxy. */
  readonly ownKubeconfig: string;
  /** Kills the operator and starts it again. */
  readonly strike?: () => Promise<void>;
  /** Called before a write is forwarded, with its name. */
  readonly before?: (write: string) => Promise<void>;
}

export class Toll implements AsyncDisposable {
  readonly #server: Http2SecureServer;
  readonly #target: Config;
  readonly #strike: NonNullable<TollOptions["strike"]>;
  readonly #before: NonNullable<TollOptions["before"]>;
  /** Writes that the operator may make between two restarts; undefined: no limit. */
  #allowance: number | undefined;
  #made = 0;
  #isStriking = false;
  #lastLife = "";
  #sameLives = 0;
  /** The writes before which the operator was killed. */
  readonly deaths: string[] = [];
  /** Writes that were forwarded. */
  writes = 0;

  private constructor(server: Http2SecureServer, target: Config, { strike, before }: TollOptions) {
    this.#server = server;
    this.#target = target;
    this.#strike = strike ?? (() => Promise.resolve());
    this.#before = before ?? (() => Promise.resolve());
    server.on("request", (question, answer) => void this.#meet(question, answer));
  }

  static async open(options: TollOptions): Promise<Toll> {
    const { kubeconfig, ownKubeconfig } = options;
    const now = new Date();
    const authority = createAuthority({ commonName: "authority of the toll", now, days: 1 });
    const validity = validFor({ now, days: 1 });
    const leaf = authority.issue({ commonName: "toll", usages: ["server"], ipAddresses: ["127.0.0.1"], ...validity });
    const server = createSecureServer({ cert: leaf.certificate, key: leaf.privateKey, allowHTTP1: true });
    const target = parse(await readFile(kubeconfig, "utf8")) as Config;
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    const own = parse(await readFile(kubeconfig, "utf8")) as Config;
    for (const { cluster } of own.clusters) {
      cluster.server = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      cluster["certificate-authority-data"] = Buffer.from(authority.certificate).toString("base64");
    }
    for (const entry of own.users) entry.user = { token: "whoever" };
    await writeFile(ownKubeconfig, stringify(own));
    return new Toll(server, target, options);
  }

  /**
   * From now on the operator is killed before the second write after each start. An operator that starts with the same write as before
   * gets one write more.
   */
  close(): void {
    this.#allowance = 1;
    this.#made = 0;
  }

  /** From now on every write passes. */
  lift(): void {
    this.#allowance = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.lift();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      for (const session of this.#sessions) session.destroy();
    });
  }

  readonly #sessions = new Set<{ destroy(): void }>();

  async #meet(question: Http2ServerRequest, answer: Http2ServerResponse): Promise<void> {
    this.#sessions.add(question.stream?.session ?? question.socket);
    if (isWrite(question)) {
      if (!this.#mayPass(question)) {
        answer.destroy();
        await this.#end(nameOf(question));
        return;
      }
      await this.#before(nameOf(question));
    }
    this.#forward(question, answer);
  }

  #mayPass(question: Http2ServerRequest): boolean {
    if (this.#isStriking) return false;
    if (this.#allowance !== undefined && this.#made >= this.#allowance) return false;
    this.#made++;
    this.writes++;
    if (this.#made === 1) this.#noteFirst(nameOf(question));
    return true;
  }

  /** An operator that starts with the same write every time would make no progress: then one write more is forwarded after each start. */
  #noteFirst(name: string): void {
    this.#sameLives = name === this.#lastLife ? this.#sameLives + 1 : 0;
    this.#lastLife = name;
    if (this.#allowance !== undefined) this.#allowance = 1 + this.#sameLives;
  }

  async #end(name: string): Promise<void> {
    if (this.#isStriking) return;
    this.#isStriking = true;
    this.deaths.push(name);
    await this.#strike();
    this.#made = 0;
    this.#isStriking = false;
  }

  #forward(question: Http2ServerRequest, answer: Http2ServerResponse): void {
    const { server, "certificate-authority-data": ca } = this.#target.clusters[0]?.cluster ?? {
      server: "",
      "certificate-authority-data": "",
    };
    const { user = {} } = this.#target.users[0] ?? {};
    const decode = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text, "base64"));
    const asked = Object.entries(question.headers).filter(([name]) => !isOwnHeader(name));
    const login = user["token"] === undefined ? {} : { authorization: `Bearer ${user["token"]}` };
    const onward = request(`${server}${question.url}`, {
      method: question.method,
      headers: { ...(Object.fromEntries(asked) as { [name: string]: string }), ...login },
      ca: decode(ca),
      cert: decode(user["client-certificate-data"]),
      key: decode(user["client-key-data"]),
    });
    onward.on("response", (reply) => {
      const kept = Object.entries(reply.headers).filter(([name]) => !isOwnHeader(name));
      answer.writeHead(reply.statusCode ?? 502, Object.fromEntries(kept) as { [name: string]: string });
      reply.pipe(answer);
      reply.on("error", () => answer.destroy());
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    question.on("error", () => onward.destroy());
    question.pipe(onward);
  }
}

/** Headers that belong to one connection, not to the request. */
function isOwnHeader(name: string): boolean {
  return (
    name.startsWith(":") || ["connection", "host", "keep-alive", "transfer-encoding", "authorization"].includes(name)
  );
}

/** A write of the operator that matters here: not one of the story, not an event or a lease. */
function isWrite({ method, url }: Http2ServerRequest): boolean {
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(method) || url.includes("fieldManager=story")) return false;
  return /\/namespaces\/[^/]+\/(?!events|leases)/u.test(url);
}

/** Method and path of a write, without its parameters. */
function nameOf({ method, url }: Http2ServerRequest): string {
  return `${method} ${url.split("?")[0]?.replace(/^.*\/namespaces\/[^/]+\//u, "")}`;
}
