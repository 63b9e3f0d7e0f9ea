/** DNS messages: the part of RFC 1035 that a cluster's server needs, one question in, records out. Pure. */

export interface Question {
  readonly id: number;
  readonly recursionDesired: boolean;
  /** In lower case, without the trailing dot. */
  readonly name: string;
  readonly type: number;
  /** 1 is IN, the Internet. */
  readonly class: number;
  /** The opcode: 0 is a query; others are updates and similar. */
  readonly operation: number;
  /** The UDP payload size that the client accepts, if it sends EDNS (RFC 6891). */
  readonly room: number | undefined;
  /** The question section as it was sent, to be repeated in the response. */
  readonly bytes: Buffer;
}

/** Record types. */
export const types = { A: 1, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;

/** The data of a record. */
export type RecordData =
  | { readonly type: "A"; readonly address: string }
  | { readonly type: "AAAA"; readonly address: string }
  | { readonly type: "CNAME"; readonly target: string }
  | { readonly type: "PTR"; readonly target: string }
  | { readonly type: "TXT"; readonly text: string }
  | { readonly type: "SOA"; readonly server: string; readonly mailbox: string }
  | { readonly type: "SRV"; readonly port: number; readonly weight: number; readonly target: string };

export type DnsRecord = { readonly name: string } & RecordData;

export interface Reply {
  /** A response code of RFC 1035 4.1.1, by its meaning. */
  readonly code: "ok" | "failed" | "no such name" | "not implemented" | "refused";
  /** Whether the response is authoritative. */
  readonly isFinal: boolean;
  readonly answers: readonly DnsRecord[];
  /** The SOA record of a negative response, which says how long it may be cached. */
  readonly authority: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}

const headerLength = 12;
const codes = { ok: 0, failed: 2, "no such name": 3, "not implemented": 4, refused: 5 } as const;
const timeToLive = 5;

/** Parses a query; `undefined` for any other message. */
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

/** The EDNS pseudo record (type 41) directly after the question; its class is the payload size. */
function roomIn(message: Buffer, at: number): number | undefined {
  const isThere = message.readUInt16BE(10) > 0 && message.length >= at + 11 && message[at] === 0;
  return isThere && message.readUInt16BE(at + 1) === OPT ? message.readUInt16BE(at + 3) : undefined;
}

const OPT = 41;

/** Encodes the response to a query. */
export function formatReply(
  { id, recursionDesired, operation, room, bytes }: Question,
  { code, isFinal, answers, authority, additional }: Reply,
): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(id, 0);
  // A response. Recursion is not available here.
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
      // Serial number, refresh, retry, expiry, and the time to cache negative responses.
      const times = Buffer.alloc(20);
      for (const [index, value] of [1, 7200, 1800, 86_400, timeToLive].entries()) times.writeUInt32BE(value, 4 * index);
      return Buffer.concat([formatName(record.server), formatName(record.mailbox), times]);
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
