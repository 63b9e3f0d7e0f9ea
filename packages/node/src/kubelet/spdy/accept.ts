/** Upgrades a connection to SPDY. */
import type { Duplex } from "node:stream";
import { NodeError } from "../../errors.ts";
import type { KubeletCall } from "../call.ts";
import { splitList } from "../web-socket.ts";

/** Whether a client requests SPDY. */
export function isSpdy({ headers }: KubeletCall): boolean {
  return String(headers["upgrade"] ?? "").toLowerCase() === "spdy/3.1";
}

/** Completes the upgrade, with the first of these protocols that the client offers. */
export function acceptSpdy(call: KubeletCall, protocols: readonly string[]): Duplex {
  const connection = call.upgrade?.();
  if (connection === undefined) throw new NodeError("BadRequest", "Upgrade request required");
  const offered = splitList(call.headers["x-stream-protocol-version"]);
  const protocol = protocols.find((one) => offered.includes(one));
  const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: SPDY/3.1"];
  if (protocol !== undefined) lines.push(`X-Stream-Protocol-Version: ${protocol}`);
  connection.write(`${lines.join("\r\n")}\r\n\r\n`);
  return connection;
}
