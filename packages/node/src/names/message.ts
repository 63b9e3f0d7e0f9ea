/** DNS messages, as much of RFC 1035 as a server for a cluster needs: one question in, records out. Pure. */

/** A question. */
export interface Question {
  readonly id: number;
  readonly recursionDesired: boolean;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** 1 is the Internet. */
  readonly class: number;
  /** 0 is a question; others want to change something. */
  readonly operation: number;
  /** How many bytes an answer in a datagram may have, where the asker speaks of it (RFC 6891). */
  readonly room: number | undefined;
  /** The question as it was sent, to be repeated in the answer. */
  readonly bytes: Buffer;
}

/** Types of records. */
export const types = { A: 1, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;

/** The data of a record. */
export type RecordData =
  | { readonly type: "A"; readonly address: string }
  | { readonly type: "AAAA"; readonly address: string }
  | { readonly type: "CNAME"; readonly target: string }
  | { readonly type: "PTR"; readonly target: string }
  | { readonly type: "TXT"; readonly text: string }
  | { readonly type: "SOA"; readonly server: string; readonly keeper: string }
  | { readonly type: "SRV"; readonly port: number; readonly weight: number; readonly target: string };

/** A record. */
export type DnsRecord = { readonly name: string } & RecordData;

/** What is answered. */
export interface Reply {
  /** One of the codes of RFC 1035 4.1.1, by what it means. */
  readonly code: "ok" | "failed" | "no such name" | "not implemented" | "refused";
  /** Whether it is told by whoever decides about the name. */
  readonly isFinal: boolean;
  readonly answers: readonly DnsRecord[];
  /** Who decides, where there is nothing to tell: it says how long that may be remembered. */
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}

const headerLength = 12;
const codes = { ok: 0, failed: 2, "no such name": 3, "not implemented": 4, refused: 5 } as const;
const timeToLive = 5;

/** Reads a question; `undefined` is something else. */
export function parseQuestion(message: Buffer): Question | undefined {
  if (message.length < headerLength || message.readUInt16BE(4) !== 1 || (message[2] ?? 0) & 0x80) return undefined;
  const labels: string[] = [];
  let at = headerLength;
  for (let length = message[at]; length !== undefined && length > 0; length = message[at]) {
    if (length > 63 || at + 1 + length > message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    recursionDesired: ((message[2] ?? 0) & 1) === 1,
    name: labels.join(".").toLowerCase(),
    type: message.readUInt16BE(at + 1),
    class: message.readUInt16BE(at + 3),
    operation: ((message[2] ?? 0) >> 3) & 0xf,
    room: roomIn(message, end),
    bytes: message.subarray(headerLength, end),
  };
}

/** A pseudo record of the root right behind the question, type 41, whose class is a size. */
function roomIn(message: Buffer, at: number): number | undefined {
  const isThere = message.readUInt16BE(10) > 0 && message.length >= at + 11 && message[at] === 0;
  return isThere && message.readUInt16BE(at + 1) === OPT ? message.readUInt16BE(at + 3) : undefined;
}

const OPT = 41;

/** The answer to a question as bytes. */
export function formatReply(
  { id, recursionDesired, operation, room, bytes }: Question,
  { code, isFinal, answers, authority, additional }: Reply,
): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(id, 0);
  // A response. Whoever asks elsewhere for the asker says so; here nobody does.
  const flags = 0x8000 | (operation << 11) | (isFinal ? 0x0400 : 0) | (recursionDesired ? 0x0100 : 0);
  header.writeUInt16BE(flags | codes[code], 2);
  header.writeUInt16BE(1, 4);
  const sections = [answers, authority, additional];
  for (const [index, records] of sections.entries()) header.writeUInt16BE(records.length, 6 + 2 * index);
  if (room !== undefined) header.writeUInt16BE(additional.length + 1, 10);
  return Buffer.concat([header, bytes, ...sections.flat().map(formatRecord), formatRoom(room)]);
}

function formatRoom(room: number | undefined): Buffer {
  if (room === undefined) return Buffer.alloc(0);
  const record = Buffer.alloc(11);
  record.writeUInt16BE(OPT, 1);
  record.writeUInt16BE(room, 3);
  return record;
}

function formatRecord(record: DnsRecord): Buffer {
  const data = formatData(record);
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(types[record.type], 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(timeToLive, 4);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([formatName(record.name), middle, data]);
}

function formatData(record: DnsRecord): Buffer {
  switch (record.type) {
    case "A":
      return Buffer.from(record.address.split(".").map(Number));
    case "AAAA":
      return formatIpv6(record.address);
    case "CNAME":
    case "PTR":
      return formatName(record.target);
    case "TXT":
      return Buffer.concat([Buffer.of(record.text.length), Buffer.from(record.text)]);
    case "SOA": {
      // Serial number, refresh, retry, expiry, and how long "there is none" may be remembered.
      const times = Buffer.alloc(20);
      for (const [index, value] of [1, 7200, 1800, 86_400, timeToLive].entries()) times.writeUInt32BE(value, 4 * index);
      return Buffer.concat([formatName(record.server), formatName(record.keeper), times]);
    }
    case "SRV": {
      const head = Buffer.alloc(6);
      head.writeUInt16BE(0, 0);
      head.writeUInt16BE(record.weight, 2);
      head.writeUInt16BE(record.port, 4);
      return Buffer.concat([head, formatName(record.target)]);
    }
  }
}

function formatName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  const parts = labels.map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, "latin1")]));
  return Buffer.concat([...parts, Buffer.of(0)]);
}

/** The sixteen bytes of an address. */
export function formatIpv6(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
