/**
 * The program that makes the kernel forget connections by their mark. A protocol without connections has no end: whoever goes on sending is
 * sent on to where it was sent first, also when nobody is there any more. Pure.
 */
import type { Architecture } from "../seccomp/filter.ts";
import { callsProgram, type Call } from "./calls-program.ts";

/** The numbers of the calls. */
const numbers = { x64: { socket: 41, write: 1 }, arm64: { socket: 198, write: 64 } } as const;
/** Messages to the kernel's packet filter. */
const netlink = { family: 16, raw: 3, netfilter: 12 } as const;
/** The file that is opened first beside the three that every program has. */
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

/** All connections with a mark are to go. */
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

/** Numbers in attributes have their high bytes first, whatever the machine. */
function writeAttribute(bytes: Buffer, type: number, value: number): void {
  bytes.writeUInt16LE(bytes.length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.writeUInt32BE(value, 4);
}
