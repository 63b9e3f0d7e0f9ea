/** A tunnel through an HTTP proxy: CONNECT (RFC 9110, section 9.3.6). */
import type { Socket } from "node:net";
import type { Address } from "./dial.ts";
import { createSocketReader } from "./socket-reader.ts";

/** The options of a tunnel. */
export interface TunnelOptions {
  readonly proxy: URL;
  readonly signal: AbortSignal;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Requests a tunnel from the proxy at the other end of the socket. */
export async function httpTunnel(
  socket: Socket,
  { host, port }: Address,
  { proxy, signal }: TunnelOptions,
): Promise<Socket> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const reader = createSocketReader(socket, signal);
  try {
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization(proxy)}\r\n`);
    const head = (await reader.until(headEnd)).toString("latin1");
    const status = /^HTTP\/1\.[01] (\d{3})/u.exec(head)?.[1];
    if (status?.startsWith("2") === true) return reader.release();
    throw new Error(`the proxy ${proxy.host} refused the tunnel: ${head.split("\r\n", 1)[0] ?? "no answer"}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function authorization({ username, password }: URL): string {
  if (username === "") return "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString("base64")}\r\n`;
}
