/** Serves a handler over HTTPS, with a certificate that can be replaced at run time. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import { systemClock } from "../clock.ts";
import { messageOf } from "../failure.ts";
import { WebhookError } from "./errors.ts";
import type { WebhookHandler } from "./handler.ts";
import { CONVERT_PATH } from "./paths.ts";
import type { Reach } from "./registration.ts";
import type { OpenEndpoint } from "./webhooks.ts";

const MIB = 1024 * 1024;

/** A review of one write holds an object of at most 3 MiB twice; a conversion may hold a page of a list. */
const LARGEST_REVIEW = 7 * MIB;
const LARGEST_CONVERSION = 128 * MIB;

/** Any client with network access may call the endpoint: the total of all bodies must fit into the operator's memory. */
const LARGEST_SUM = 160 * MIB;

/** The bytes of bodies that are being read or processed. */
interface Load {
  bytes: number;
}

/**
 * An HTTPS endpoint. `listen` starts the server and returns how the API server reaches it; no call succeeds before there is a
 * certificate.
 */
export function httpsEndpoint(listen: (server: Server) => Promise<Reach>): OpenEndpoint {
  return async (handler) => {
    const load: Load = { bytes: 0 };
    const server = createServer({ minVersion: "TLSv1.2" }, (request, response) => {
      void exchange(handler, { incoming: request, outgoing: response, load });
    });
    // Errors of a client that does not trust us, or disconnects, are ignored.
    server.on("tlsClientError", (_error, socket) => void socket.destroy());
    const callers = trackCallers(server);
    const reach = await listen(server);
    return {
      reach,
      use: ({ certificate, privateKey }) =>
        server.setSecureContext({ cert: certificate, key: privateKey, minVersion: "TLSv1.2" }),
      [Symbol.asyncDispose]: () => close(server, callers),
    };
  };
}

/** The grace period of pending responses, in milliseconds; idle connections are not waited for. */
const GRACE = 2_000;

/** The connections, and the ones with a pending response. */
interface Callers {
  readonly sockets: ReadonlySet<Socket>;
  /** By remote port. */
  readonly waiting: ReadonlySet<number | undefined>;
}

/**
 * The server itself does not know enough. It does not know connections during the TLS handshake, and one without a request counts as busy
 * for a minute: Go's client keeps such connections when it dialled two and needed one.
 */
function trackCallers(server: Server): Callers {
  const sockets = new Set<Socket>();
  const waiting = new Set<number | undefined>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const { remotePort } = socket;
    waiting.add(remotePort);
    response.once("close", () => {
      waiting.delete(remotePort);
      // A connection after its last response must not keep a closing server open.
      if (!server.listening) socket.end();
    });
  });
  return { sockets, waiting };
}

async function close(server: Server, { sockets, waiting }: Callers): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  for (const socket of sockets) if (!waiting.has(socket.remotePort)) socket.destroy();
  const cut = systemClock.later(GRACE, () => {
    for (const socket of sockets) socket.destroy();
  });
  await closed;
  cut.cancel();
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly load: Load;
}

async function exchange(handler: WebhookHandler, { incoming, outgoing, load }: Exchange): Promise<void> {
  const body = new Body(incoming, load);
  const hungUp = new AbortController();
  outgoing.once("close", () => hungUp.abort());
  try {
    const response = await handler(toRequest(incoming, await body.read(), hungUp.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  } catch (error) {
    const status = error instanceof WebhookError ? { TooLarge: 413, TooBusy: 503 }[String(error.code)] : undefined;
    outgoing.writeHead(status ?? 500, { connection: "close" }).end(`${messageOf(error)}\n`);
  } finally {
    body.forget();
  }
}

function toRequest(
  { method = "GET", url = "/", headers }: IncomingMessage,
  body: string,
  signal: AbortSignal,
): Request {
  const type = headers["content-type"];
  const canHaveBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "https://webhooks"), {
    method,
    signal,
    headers: type === undefined ? {} : { "content-type": type },
    ...(canHaveBody ? { body } : {}),
  });
}

/** The body of one call; its bytes count until the response. */
class Body {
  readonly #incoming: IncomingMessage;
  readonly #load: Load;
  #length = 0;

  constructor(incoming: IncomingMessage, load: Load) {
    this.#incoming = incoming;
    this.#load = load;
  }

  async read(): Promise<string> {
    const isConversion = this.#incoming.url?.split("?", 1)[0] === CONVERT_PATH;
    const limit = isConversion ? LARGEST_CONVERSION : LARGEST_REVIEW;
    const tooLarge = new WebhookError("TooLarge", `The review is larger than ${limit / MIB} MiB.`);
    if (Number(this.#incoming.headers["content-length"] ?? 0) > limit) throw tooLarge;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#incoming as AsyncIterable<Buffer>) {
      this.#length += chunk.length;
      this.#load.bytes += chunk.length;
      if (this.#length > limit) throw tooLarge;
      if (this.#load.bytes > LARGEST_SUM) throw new WebhookError("TooBusy", "Too many reviews at once. Try again.");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, this.#length).toString();
  }

  forget(): void {
    this.#load.bytes -= this.#length;
  }
}
