/** Upgraded connections, such as those of exec. This server passes their bytes on without reading them. */
import { pipeline } from "node:stream";
import type { Answer } from "../answer.ts";
import { headerOf, type Call } from "../call.ts";
import type { OutgoingAnswer } from "../outgoing/outgoing.ts";

/** The protocol to which the client asks to upgrade. */
export function upgradeOf(call: Call): string | undefined {
  const wants = (headerOf(call, "connection") ?? "").toLowerCase().includes("upgrade");
  return wants && call.upgrade !== undefined ? headerOf(call, "upgrade") : undefined;
}

/** Joins the client with the other server if that one accepted the upgrade; `undefined` if it sent an ordinary response. */
export function joinConnections(call: Call, { connection, headers }: OutgoingAnswer): Answer | undefined {
  const client = call.upgrade?.();
  if (connection === undefined || client === undefined) return undefined;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
  pipeline(client, connection, client, () => {
    client.destroy();
    connection.destroy();
  });
  return { status: 101, headers: {}, body: "" };
}
