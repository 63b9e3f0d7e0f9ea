/** Proxies one HTTP request to a port of a pod. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { plain, type KubeletAnswer, type KubeletCall } from "./call.ts";

/** Not imported: as an ES module node:http loads undici, 14 MiB that this package does not use. */
const { request: httpRequest } = process.getBuiltinModule("node:http");

/** What to proxy, and over which connection. */
export interface ProxyRequest {
  readonly connect: () => Promise<Duplex>;
  /** Whether the pod speaks TLS. The caller cannot know its certificate, so any certificate is accepted. */
  readonly isSecure: boolean;
  readonly path: string;
  readonly call: KubeletCall;
}

/** Sends the request to the pod and returns its response. The API server decides which headers are forwarded, in both directions. */
export async function proxyTo({ connect, isSecure, path, call }: ProxyRequest): Promise<KubeletAnswer> {
  const connection = await connect().catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  if (typeof connection === "string") return plain(503, `error trying to reach service: ${connection}`);
  // The client may leave before the pod responds, and a pod may never respond.
  const leave = (): void => void connection.destroy();
  call.signal.addEventListener("abort", leave, { once: true });
  connection.once("close", () => call.signal.removeEventListener("abort", leave));
  try {
    if (call.signal.aborted) leave();
    return toAnswer(await ask(connection, { isSecure, path, call }), connection);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

async function ask(connection: Duplex, { isSecure, path, call }: Omit<ProxyRequest, "connect">) {
  const body = await call.body();
  const headers = Object.entries(call.headers).filter(([, value]) => value !== undefined);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      method: call.method,
      path,
      headers: Object.fromEntries(headers) as Record<string, string>,
      createConnection: () => (isSecure ? tlsConnect({ socket: connection, rejectUnauthorized: false }) : connection),
    };
    const request = httpRequest(options, resolve);
    request.once("error", reject);
    request.end(body);
  });
}

function toAnswer(response: IncomingMessage, connection: Duplex): KubeletAnswer {
  const answered = Object.entries(response.headers).filter(([, value]) => value !== undefined);
  return {
    status: response.statusCode ?? 502,
    headers: Object.fromEntries(answered) as KubeletAnswer["headers"],
    body: (sink) => {
      response.on("data", (chunk: Buffer) => {
        sink.write(chunk);
        if (!sink.isFull) return;
        // Otherwise a client that does not read fills the memory with what the pod sends.
        response.pause();
        sink.whenDrained(() => response.resume());
      });
      response.once("close", () => {
        sink.end();
        connection.destroy();
      });
      return () => connection.destroy();
    },
  };
}
