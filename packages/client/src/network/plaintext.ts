/** Whether others can read what is sent to a server on its way: then nothing that proves who we are may go there. */
import { isIPv4 } from "node:net";

/** Whether requests to a server pass a network, and in the clear. */
export function isPlaintext({ protocol, hostname }: URL, proxy: URL | undefined): boolean {
  return protocol === "http:" && (proxy !== undefined || !isLoopback(hostname));
}

/** Whether a host is this machine, by its name alone. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
}
