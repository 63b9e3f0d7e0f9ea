/** One HTTP/2 connection to a member, opened on the first call and again after a loss, and gRPC calls over it. */
import { connect, constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type { Clock } from "capstan";
import type { CallOptions, ConnectOptions } from "./client.ts";
import { startDeadline } from "./deadline.ts";
import type { Deadline } from "./deadline.ts";
import { openConnection } from "./dial.ts";
import { EtcdError } from "./errors.ts";
import { FrameReader, toFrame } from "./frames.ts";
import { toVerdict } from "./status-codes.ts";
import { WireError } from "./wire/bytes.ts";

/** One call: the method, the request, and whether the client's side stays open. */
export interface Call extends CallOptions {
  /** Service and method, for example `KV/Put`. */
  readonly path: string;
  readonly request: Buffer;
  readonly token?: string | undefined;
  /** Keeps the client's side open, as watches need it. */
  readonly isOpenEnded?: boolean;
}

const WINDOW = 4 << 20;

/** The connection of one client. */
export class Channel implements AsyncDisposable {
  readonly #options: ConnectOptions;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #session: Promise<ClientHttp2Session> | undefined;

  constructor(options: ConnectOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** The messages of the response. Leaving the loop early cancels the call; an error status is thrown at the end. */
  async *call({ path, request, token, isOpenEnded = false, ...limits }: Call): AsyncGenerator<Buffer, void, void> {
    const { endpoint } = this.#options;
    using deadline = startDeadline({ ...limits, clock: this.#clock, endpoint, what: path });
    let stream: ClientHttp2Stream | undefined;
    let session: ClientHttp2Session | undefined;
    try {
      session = await this.#ready(deadline);
      stream = session.request(toHeaders(path, deadline, token), { signal: deadline.signal });
      const status = watchStatus(stream);
      if (isOpenEnded) stream.write(toFrame(request));
      else stream.end(toFrame(request));
      yield* readMessages(stream);
      checkStatus(await status, { endpoint, path });
    } catch (error) {
      // A member resets a call after its deadline without a status. The connection stays usable.
      if (stream?.rstCode === constants.NGHTTP2_CANCEL && session?.closed === false) deadline.pass();
      const failure = this.#toError(error, { path, deadline, stream });
      if (failure.code === "Deadline") this.#retire();
      throw failure;
    } finally {
      if (stream && !stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const session = await this.#session?.catch(() => undefined);
    session?.destroy();
  }

  /** An open session. Concurrent calls wait for the same one. */
  async #ready(deadline: Deadline): Promise<ClientHttp2Session> {
    this.#session ??= this.#open();
    return raceWith(deadline.signal, this.#session);
  }

  #open(): Promise<ClientHttp2Session> {
    const opening = this.#connect();
    const forget = (): void => {
      if (this.#session === opening) this.#session = undefined;
    };
    opening.then((session) => {
      session.once("close", forget);
      session.once("goaway", forget);
      if (session.closed) forget();
    }, forget);
    return opening;
  }

  async #connect(): Promise<ClientHttp2Session> {
    const { endpoint, timeoutMs } = this.#options;
    const signal = this.#closing.signal;
    using deadline = startDeadline({
      clock: this.#clock,
      endpoint,
      what: "a connection",
      timeoutMs: timeoutMs ?? 5000,
      signal,
    });
    const stream = await openConnection(this.#options, "h2", deadline.signal);
    const session = connect(endpoint, { createConnection: () => stream, settings: { initialWindowSize: WINDOW } });
    session.on("error", () => {});
    session.once("connect", () => session.setLocalWindowSize(WINDOW * 2));
    return session;
  }

  /** After a timeout the connection may be dead: new calls get a new one, running calls may finish. */
  #retire(): void {
    const old = this.#session;
    this.#session = undefined;
    old?.then(
      (session) => session.close(),
      () => {},
    );
  }

  #toError(error: unknown, { path, deadline, stream }: Attempt): EtcdError {
    const { endpoint } = this.#options;
    const refused = stream?.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    const isSent = stream !== undefined && !refused;
    const cut = deadline.failure(isSent);
    if (cut) return cut;
    if (error instanceof EtcdError) return error;
    const code = error instanceof WireError ? "Malformed" : "Unreachable";
    const why = error instanceof Error ? error.message : String(error);
    const message = `could not ask etcd at ${endpoint} for ${path}: ${why}`;
    return new EtcdError(code, message, { endpoint, maybeDone: isSent, cause: error });
  }
}

interface Attempt {
  readonly path: string;
  readonly deadline: Deadline;
  readonly stream: ClientHttp2Stream | undefined;
}

function toHeaders(path: string, deadline: Deadline, token: string | undefined): Record<string, string> {
  return {
    ":method": "POST",
    ":path": `/etcdserverpb.${path}`,
    "content-type": "application/grpc",
    te: "trailers",
    ...(deadline.timeoutMs === undefined ? {} : { "grpc-timeout": formatTimeout(deadline.timeoutMs) }),
    ...(token === undefined ? {} : { token }),
  };
}

/** gRPC allows eight digits. */
function formatTimeout(ms: number): string {
  return ms < 1e8 ? `${Math.ceil(ms)}m` : `${Math.ceil(ms / 1000)}S`;
}

/** The status follows the last message, or replaces all messages. */
function watchStatus(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders | undefined> {
  return new Promise((resolve) => {
    stream.once("response", (headers) => {
      if (headers["grpc-status"] !== undefined || headers[":status"] !== 200) resolve(headers);
    });
    stream.once("trailers", (headers) => resolve(headers));
    stream.once("close", () => resolve(undefined));
    stream.once("error", () => resolve(undefined));
  });
}

async function* readMessages(stream: ClientHttp2Stream): AsyncGenerator<Buffer, void, void> {
  const frames = new FrameReader();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    frames.push(chunk);
    for (let message = frames.next(); message; message = frames.next()) yield message;
  }
  if (!frames.isEmpty) throw new WireError("the answer ends within a message");
}

function checkStatus(headers: IncomingHttpHeaders | undefined, call: { endpoint: string; path: string }): void {
  const { endpoint, path } = call;
  const status = headers?.["grpc-status"];
  if (status === "0") return;
  if (status === undefined) {
    const why =
      headers?.[":status"] === undefined ? "the connection ended" : `HTTP status ${String(headers[":status"])}`;
    const message = `could not ask etcd at ${endpoint} for ${path}: ${why}`;
    throw new EtcdError("Unreachable", message, { endpoint, maybeDone: true });
  }
  const sentence = decodeSentence(String(headers?.["grpc-message"] ?? ""));
  const majority = toVerdict(Number(status), sentence);
  throw new EtcdError(majority.code, `etcd at ${endpoint} refused ${path}: ${sentence}`, {
    endpoint,
    maybeDone: majority.maybeDone,
  });
}

/** gRPC percent-encodes non-ASCII text. Invalid encodings are returned as they are. */
function decodeSentence(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function raceWith<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
