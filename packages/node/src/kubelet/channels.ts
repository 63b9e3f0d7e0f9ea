/**
 * The subprotocols that carry streams over a WebSocket: every message begins with the number of its channel, as a byte or as text. Pure.
 */

/** The message format of one subprotocol. */
export interface ChannelProtocol {
  /** `base64` messages are text: a digit and the encoded bytes. */
  readonly encoding: "bytes" | "base64";
  /** How the end of a command is reported: as a Status, or, in the oldest subprotocols, as text and only on failure. */
  readonly ending: "status" | "words";
}

const words = { encoding: "bytes", ending: "words" } as const;

/** By name, the best first. A client that offers no subprotocol gets the oldest. Version 5 can also signal the end of a stream. */
export const channelProtocols: ReadonlyMap<string, ChannelProtocol> = new Map<string, ChannelProtocol>([
  ["v5.channel.k8s.io", { encoding: "bytes", ending: "status" }],
  ["v4.channel.k8s.io", { encoding: "bytes", ending: "status" }],
  ["v4.base64.channel.k8s.io", { encoding: "base64", ending: "status" }],
  ["channel.k8s.io", words],
  ["base64.channel.k8s.io", { encoding: "base64", ending: "words" }],
  ["", words],
]);

/** Encodes a message for the client. */
export function toMessage(channel: number, bytes: Uint8Array, { encoding }: ChannelProtocol): Buffer | string {
  if (encoding === "base64") return `${channel}${Buffer.from(bytes).toString("base64")}`;
  return Buffer.concat([Buffer.of(channel), bytes]);
}

/** Decodes a message of the client. */
export function fromMessage(
  message: Buffer,
  { encoding }: ChannelProtocol,
): { readonly channel: number; readonly bytes: Buffer } {
  if (encoding === "bytes") return { channel: message[0] ?? 0, bytes: message.subarray(1) };
  const text = message.toString("utf8");
  return { channel: Number(text.slice(0, 1)), bytes: Buffer.from(text.slice(1), "base64") };
}
