/** The listeners of the shim in the node's network: connections that are relayed outside, and DNS. */
import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { atSocket } from "../socket-path.ts";
import { bounded } from "./bounded.ts";

/** How many connections an address may have: relayed ones, and for DNS. */
const most = { relayed: 1000, asking: 32 } as const;
/** After how many idle milliseconds a DNS connection is closed. */
const longestSilence = 10_000;

/** Relays every connection to an address of the node to a Unix socket. */
export function startRelay(host: string, port: number, path: string): Promise<void> {
  const pass = (inner: Socket): void =>
    join(
      inner,
      atSocket(path, (name) => connect({ path: name, allowHalfOpen: true })),
    );
  const server = createServer({ allowHalfOpen: true }, bounded(most.relayed, pass));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
}

function join(inner: Socket, outer: Socket): void {
  inner.pipe(outer).pipe(inner);
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    one.on("error", () => other.destroy());
    one.once("close", () => other.destroy());
  }
}

/** Responds to one DNS query; `undefined` sends no response. */
export type Answerer = (question: Buffer) => Promise<Buffer | undefined>;

/** Serves DNS over UDP and TCP. */
export async function startNames(host: string, answer: Answerer): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    // A packet with source port 0 is forged and cannot be answered.
    if (from.port === 0) return;
    reply(answer(question), (bytes) => socket.send(fitting(bytes, longestDatagram), from.port, from.address, () => {}));
  });
  await new Promise<void>((resolve) => socket.bind(53, host, resolve));
  const receive = (connection: Socket): void => {
    let rest: Buffer = Buffer.alloc(0);
    connection.setTimeout(longestSilence, () => connection.destroy());
    connection.on("error", () => connection.destroy());
    connection.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const end = 2 + rest.readUInt16BE(0);
        const question = rest.subarray(2, end);
        rest = rest.subarray(end);
        reply(answer(question), (bytes) => connection.write(withLength(fitting(bytes, longestMessage))));
      }
    });
  };
  const server = createServer(bounded(most.asking, receive));
  await new Promise<void>((resolve) => void server.listen(53, host, resolve));
}

/** A query that fails gets no response; it must not crash this process, on which all pods of the node depend. */
function reply(answer: Promise<Buffer | undefined>, send: (bytes: Buffer) => void): void {
  answer.then((bytes) => bytes && send(bytes)).catch(() => undefined);
}

/** The size of a datagram that every network carries unfragmented. */
const longestDatagram = 1232;
/** The largest length that the prefix of a TCP message can express. */
const longestMessage = 65_535;
const headerLength = 12;

/** A response that is too long is truncated: the client then repeats its UDP query over TCP. */
function fitting(answer: Buffer, longest: number): Buffer {
  if (answer.length <= longest) return answer;
  let end = headerLength;
  while ((answer[end] ?? 0) !== 0) end += 1 + (answer[end] ?? 0);
  const short = Buffer.from(answer.subarray(0, end + 5));
  short[2] = (short[2] ?? 0) | 0x02;
  short.fill(0, 6, headerLength);
  return short;
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
