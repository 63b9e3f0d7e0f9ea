/** Whether requests to a server cross a network in plain text, so that credentials must not be sent. */
import { isIPv4 } from "node:net";

/** Whether requests to a server cross a network in plain text. */
export function isPlaintext({ protocol, hostname }: URL, proxy: URL | undefined): boolean {
  return protocol === "http:" && (proxy !== undefined || !isLoopback(hostname));
}

/** Whether a host name means this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}
