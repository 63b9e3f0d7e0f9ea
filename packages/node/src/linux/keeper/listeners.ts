/** What the keeper listens on in the node's network: connections that belong outside, and questions about names. */
import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { atSocket } from "../socket-path.ts";
import { bounded } from "./bounded.ts";

/** How many connections an address has at most: to the outside, and to ask for names. */
const most = { relayed: 1000, asking: 32 } as const;
/** After how many milliseconds without a word somebody who asks for names is taken to have no more to say. */
const longestSilence = 10_000;

/** Hands every connection to an address of the node to a socket in the file system. */
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

/** Answers one question; `undefined` says nothing. */
export type Answerer = (question: Buffer) => Promise<Buffer | undefined>;

/** Listens for questions over UDP and TCP. */
export async function startNames(host: string, answer: Answerer): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    // Anybody may forge a question that says it comes from nowhere.
    if (from.port === 0) return;
    reply(answer(question), (bytes) => socket.send(fitting(bytes, longestDatagram), from.port, from.address, () => {}));
  });
  await new Promise<void>((resolve) => socket.bind(53, host, resolve));
  const hear = (connection: Socket): void => {
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
  const server = createServer(bounded(most.asking, hear));
  await new Promise<void>((resolve) => void server.listen(53, host, resolve));
}

/** A question that cannot be answered stays without an answer: every pod of the node lives in this process. */
function reply(answer: Promise<Buffer | undefined>, send: (bytes: Buffer) => void): void {
  answer.then((bytes) => bytes && send(bytes)).catch(() => undefined);
}

/** What every network carries in one piece. */
const longestDatagram = 1232;
/** What the length before a message over TCP can say. */
const longestMessage = 65_535;
const headerLength = 12;

/** An answer that is too long is only announced: whoever gets that over UDP asks again over TCP. */
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
