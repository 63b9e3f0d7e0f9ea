/** A tunnel through a SOCKS5 proxy (RFC 1928), optionally with user and password (RFC 1929). */
import { isIPv4, isIPv6 } from "node:net";
import type { Socket } from "node:net";
import type { Address } from "./dial.ts";
import type { TunnelOptions } from "./http-tunnel.ts";
import { createSocketReader } from "./socket-reader.ts";
import type { SocketReader } from "./socket-reader.ts";

const version = 5;
const noAuthentication = 0;
const userAndPassword = 2;

/** Requests a tunnel from the proxy. The proxy resolves names. */
export async function socks5Tunnel(
  socket: Socket,
  address: Address,
  { proxy, signal }: TunnelOptions,
): Promise<Socket> {
  const reader = createSocketReader(socket, signal);
  try {
    await greet(socket, reader, proxy);
    socket.write(connectRequest(address));
    await connectReply(reader);
    return reader.release();
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** RFC 1928, section 3: negotiates the authentication method. */
async function greet(socket: Socket, reader: SocketReader, { username, password }: URL): Promise<void> {
  const methods = username === "" ? [noAuthentication] : [noAuthentication, userAndPassword];
  socket.write(Buffer.from([version, methods.length, ...methods]));
  const [, chosen] = await reader.exactly(2);
  if (chosen === noAuthentication) return;
  if (chosen !== userAndPassword || username === "")
    throw new Error("the SOCKS proxy wants credentials that were not given");
  const user = Buffer.from(decodeURIComponent(username));
  const secret = Buffer.from(decodeURIComponent(password));
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]));
  const [, status] = await reader.exactly(2);
  if (status !== 0) throw new Error("the SOCKS proxy did not accept user and password");
}

/** RFC 1928, section 4. */
function connectRequest({ host, port }: Address): Buffer {
  return Buffer.concat([Buffer.from([version, 1, 0]), encodeHost(host), Buffer.from([port >> 8, port & 0xff])]);
}

function encodeHost(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split(".").map(Number)]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), encodeIPv6(host)]);
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([3, name.length]), name]);
}

function encodeIPv6(host: string): Buffer {
  const [head = "", tail] = host.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0);
  return Buffer.from([...front, ...zeros, ...back].flatMap((group) => [group >> 8, group & 0xff]));
}

const refusals = [
  "",
  "general failure",
  "not allowed by its rules",
  "the network is unreachable",
  "the host is unreachable",
  "the connection was refused",
  "the time to live expired",
  "the command is not supported",
  "the type of address is not supported",
];

/** RFC 1928, section 6: the reply ends with the bound address, which is read and ignored. */
async function connectReply(reader: SocketReader): Promise<void> {
  const [, reply = 1, , type] = await reader.exactly(4);
  if (reply !== 0) throw new Error(`the SOCKS proxy could not connect: ${refusals[reply] ?? `reply ${reply}`}`);
  const [length = 0] = type === 3 ? await reader.exactly(1) : [type === 4 ? 16 : 4];
  await reader.exactly(length + 2);
}
