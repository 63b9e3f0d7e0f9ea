/**
 * The program that deletes conntrack entries by their mark. UDP has no end of a connection: packets of a client that keeps sending are
 * forwarded to the first backend, also after that backend is gone. Pure.
 */
import type { Architecture } from "../seccomp/filter.ts";
import { callsProgram, type Call } from "./calls-program.ts";

/** The numbers of the system calls. */
const numbers = { x64: { socket: 41, write: 1 }, arm64: { socket: 198, write: 64 } } as const;
/** Netlink messages to netfilter. */
const netlink = { family: 16, raw: 3, netfilter: 12 } as const;
/** The first file descriptor after the three standard ones. */
const firstFile = 3;
const deleteConnections = 0x0102;
const isRequest = 1;
const ipv4 = 2;
const attributes = { mark: 8, mask: 21 } as const;

/** The program for these marks. */
export function forgetFlowsProgram(marks: readonly number[], architecture: Architecture): Buffer {
  const { socket, write } = numbers[architecture];
  const calls: readonly Call[] = [
    { number: socket, arguments: [netlink.family, netlink.raw, netlink.netfilter] },
    ...marks.map(toMessage).map((message) => ({ number: write, arguments: [firstFile, message, message.length] })),
  ];
  return callsProgram(calls, architecture);
}

/** The message that deletes all conntrack entries with a mark. */
function toMessage(mark: number): Buffer {
  const bytes = Buffer.alloc(36);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(deleteConnections, 4);
  bytes.writeUInt16LE(isRequest, 6);
  bytes.writeUInt8(ipv4, 16);
  writeAttribute(bytes.subarray(20, 28), attributes.mark, mark);
  writeAttribute(bytes.subarray(28, 36), attributes.mask, 0xffff_ffff);
  return bytes;
}

/** Numbers in attributes are big-endian on every machine. */
function writeAttribute(bytes: Buffer, type: number, value: number): void {
  bytes.writeUInt16LE(bytes.length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.writeUInt32BE(value, 4);
}
