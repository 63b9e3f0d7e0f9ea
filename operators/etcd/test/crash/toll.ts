/** A toll on the operator's way to the API server: it sees every write, and ends the operator before the one that is too many. */
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

/** What the toll is handed. */
export interface TollOptions {
  /** The way to the API server behind it. */
  readonly kubeconfig: string;
  /** Where the operator's own kubeconfig is written, which leads through the toll. */
  readonly ownKubeconfig: string;
  /** Ends the operator at once and starts it again. */
  readonly strike?: () => Promise<void>;
  /** Called before a write is let through, with what is written. */
  readonly before?: (write: string) => Promise<void>;
}

export class Toll implements AsyncDisposable {
  readonly #server: Http2SecureServer;
  readonly #target: Config;
  readonly #strike: NonNullable<TollOptions["strike"]>;
  readonly #before: NonNullable<TollOptions["before"]>;
  /** Writes that each life of the operator may make; undefined: as many as it likes. */
  #allowance: number | undefined;
  #made = 0;
  #isStriking = false;
  #lastLife = "";
  #sameLives = 0;
  /** Before which write each life ended. */
  readonly deaths: string[] = [];
  /** Writes that came through. */
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

  /** From now on each life of the operator makes one write and dies before the next; one more if it began as the life before. */
  close(): void {
    this.#allowance = 1;
    this.#made = 0;
  }

  /** From now on everything passes. */
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

  /** Whoever begins every life with the same write would never get on: then one write more comes through in each. */
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

/** Headers that belong to one connection, not to what is said over it. */
function isOwnHeader(name: string): boolean {
  return (
    name.startsWith(":") || ["connection", "host", "keep-alive", "transfer-encoding", "authorization"].includes(name)
  );
}

/** A change of what the operator keeps: not what the story does, not events and leases. */
function isWrite({ method, url }: Http2ServerRequest): boolean {
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(method) || url.includes("fieldManager=story")) return false;
  return /\/namespaces\/[^/]+\/(?!events|leases)/u.test(url);
}

/** What is written, without its parameters. */
function nameOf({ method, url }: Http2ServerRequest): string {
  return `${method} ${url.split("?")[0]?.replace(/^.*\/namespaces\/[^/]+\//u, "")}`;
}
