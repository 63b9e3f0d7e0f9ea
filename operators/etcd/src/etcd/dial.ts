/** Opens connections to a member: the given byte stream, with TLS on top for https. */
import { once } from "node:events";
import { connect as connectTcp, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { ConnectOptions, Dial } from "./client.ts";
import { EtcdError } from "./errors.ts";

/** Plain TCP. */
export const dialTcp: Dial = async ({ host, port }, { signal }) => {
  const socket = connectTcp({ host, port, noDelay: true });
  try {
    // The signal is for connecting only: `connect` would keep it for the lifetime of the socket.
    await once(socket, "connect", signal ? { signal } : {});
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

/** The ALPN protocol of the connection. */
export type Protocol = "h2" | "http/1.1";

/** A connection that is ready for writing. */
export async function openConnection(
  options: ConnectOptions,
  protocol: Protocol,
  signal: AbortSignal,
): Promise<Duplex> {
  const { endpoint, dial = dialTcp } = options;
  const { hostname, port, protocol: scheme } = new URL(endpoint);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  try {
    const stream = await dial({ host, port: Number(port || 2379) }, { signal });
    // A reader receives the error from the stream. A later error must not crash the process.
    stream.on("error", () => {});
    return scheme === "https:" ? await secure(stream, { options, host, protocol, signal }) : stream;
  } catch (cause) {
    throw toUnreachable(endpoint, cause);
  }
}

interface SecureOptions {
  readonly options: ConnectOptions;
  readonly host: string;
  readonly protocol: Protocol;
  readonly signal: AbortSignal;
}

async function secure(stream: Duplex, { options, host, protocol, signal }: SecureOptions): Promise<Duplex> {
  const { tls } = options;
  const name = tls?.serverName ?? host;
  const secured = connectTls({
    socket: stream,
    host: name,
    // RFC 6066: an IP address is not a server name.
    servername: isIP(name) ? "" : name,
    ca: tls?.ca,
    cert: tls?.certificate,
    key: tls?.privateKey,
    ALPNProtocols: [protocol],
  });
  secured.on("error", () => {});
  try {
    await once(secured, "secureConnect", { signal });
    return secured;
  } catch (error) {
    secured.destroy();
    stream.destroy();
    throw error;
  }
}

/** No request was sent, so it cannot have taken effect. */
function toUnreachable(endpoint: string, cause: unknown): EtcdError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `could not connect to etcd at ${endpoint}: ${why}; check that the member runs and that its certificate is trusted`;
  return new EtcdError("Unreachable", message, { endpoint, maybeDone: false, cause });
}
