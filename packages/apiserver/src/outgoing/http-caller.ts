/** Calls over HTTP and TLS. */
import { Agent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect as tlsConnect, type ConnectionOptions } from "node:tls";
import { callbackify } from "node:util";
import { type Dial, type Endpoint, type OutgoingAnswer, type OutgoingCall, type OutgoingCaller } from "./outgoing.ts";
import { toOutgoingError } from "./go-words.ts";

/** Not imported: the ES module of node:http loads undici, 14 MiB that are not used here. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

/** A caller and its kept-alive connections. */
export interface HttpCaller {
  readonly call: OutgoingCaller;
  close(): void;
}

/** Opens a caller with kept-alive connections. Connections to services use `dial`, if given. */
export function openHttpCaller(dial?: Dial): HttpCaller {
  const agents = new Map<string, Agent>();
  const agentFor = (call: OutgoingCall): Agent => {
    const way = call.connectTo === undefined ? undefined : dial;
    const who = `${call.authority ?? ""}\n${call.identity?.certificate ?? ""}`;
    const key = `${way !== undefined} ${call.insecure === true}\n${who}`;
    let agent = agents.get(key);
    if (agent === undefined) agents.set(key, (agent = openAgent(way)));
    return agent;
  };
  return {
    call: (call) => send(call, agentFor(call)),
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

const idleMilliseconds = 30_000;

function openAgent(dial: Dial | undefined): Agent {
  const options = { keepAlive: true, timeout: idleMilliseconds };
  return dial === undefined ? new Agent(options) : new DiallingAgent(dial, options);
}

/** Speaks TLS over connections from `dial`. */
class DiallingAgent extends Agent {
  readonly #dial: Dial;

  constructor(dial: Dial, options: ConstructorParameters<typeof Agent>[0]) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(
    options: ConnectionOptions & Endpoint,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    callbackify(() => this.#connect(options))(callback);
  }

  async #connect(options: ConnectionOptions & Endpoint): Promise<Duplex> {
    const socket = await this.#dial({ host: options.host, port: Number(options.port) });
    return tlsConnect({ ...options, socket });
  }
}

const nothing = new Uint8Array();

function send(call: OutgoingCall, agent: Agent): Promise<OutgoingAnswer> {
  const url = new URL(call.url);
  const options = {
    method: call.method,
    host: call.connectTo?.host ?? url.hostname.replace(/^\[|\]$/g, ""),
    port: call.connectTo?.port ?? (url.port === "" ? undefined : Number(url.port)),
    path: targetOf(call.url, url),
    headers: { ...call.headers, host: call.host ?? url.host, ...lengthHeader(call), ...upgradeHeaders(call) },
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
  const tls = {
    agent,
    servername: /^[\d.]+$|:/.test(url.hostname) ? "" : url.hostname,
    rejectUnauthorized: call.insecure !== true,
    // As in Go, every certificate of the bundle is trusted, also the server's own one.
    allowPartialTrustChain: true,
    ...(call.identity === undefined ? {} : { cert: call.identity.certificate, key: call.identity.privateKey }),
    ...(call.authority === undefined || call.authority === "" ? {} : { ca: call.authority }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "http:" ? httpRequest(options) : httpsRequest({ ...options, ...tls });
    // HTTP/1.1 keeps connections by default, and Go does not send the header. With `Expect: 100-continue` the headers are already sent.
    if (call.upgrade === undefined && !request.headersSent) request.removeHeader("connection");
    request.once("error", (error) => reject(toOutgoingError(error, options)));
    request.once("upgrade", ({ statusCode: status = 0, headers }, connection, head) => {
      if (head.length > 0) connection.unshift(head);
      resolve({ status, headers, body: nothing, connection });
    });
    request.once("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      if (call.streams === true) return resolve({ status, headers, body: nothing, chunks: response });
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", (error) => reject(toOutgoingError(error, options)));
      response.once("end", () => resolve({ status, headers, body: Buffer.concat(chunks) }));
    });
    request.end(call.body);
  });
}

/** The raw path and query: `URL` resolves `.` and `..`, and the other server must see the authorized path. */
function targetOf(text: string, { pathname, search }: URL): string {
  const [, target] = /^[a-z]+:\/\/[^/?#]+(\/[!-~]*)$/.exec(text) ?? [];
  return target === undefined || target.includes("#") ? pathname + search : target;
}

/** Set explicitly: Node omits it for methods that seldom have a body, such as DELETE, and the body would be read as the next request. */
function lengthHeader({ body }: OutgoingCall): { [name: string]: string } {
  return body === undefined || body.length === 0 ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

function upgradeHeaders({ upgrade }: OutgoingCall): { [name: string]: string } {
  return upgrade === undefined ? {} : { connection: "Upgrade", upgrade };
}
