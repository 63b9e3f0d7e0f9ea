/** DNS messages, as much of RFC 1035 as a server for a cluster needs: one question in, records out. Pure. */

/** A question. */
export interface Question {
  readonly id: number;
  readonly recursionDesired: boolean;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** The question as it was sent, to be repeated in the answer. */
  readonly bytes: Buffer;
}

/** Types of records. */
export const types = { A: 1, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, ANY: 255 } as const;

/** The data of a record. */
export type RecordData =
  | { readonly type: "A"; readonly address: string }
  | { readonly type: "AAAA"; readonly address: string }
  | { readonly type: "CNAME"; readonly target: string }
  | { readonly type: "PTR"; readonly target: string }
  | { readonly type: "TXT"; readonly text: string }
  | { readonly type: "SRV"; readonly port: number; readonly weight: number; readonly target: string };

/** A record. */
export type DnsRecord = { readonly name: string } & RecordData;

/** What is answered. */
export interface Reply {
  readonly code: "ok" | "no such name" | "failed";
  readonly answers: readonly DnsRecord[];
  readonly additional: readonly DnsRecord[];
}

const headerLength = 12;
const codes = { ok: 0, "no such name": 3, failed: 2 } as const;
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
    bytes: message.subarray(headerLength, end),
  };
}

/** The answer to a question as bytes. */
export function formatReply({ id, recursionDesired, bytes }: Question, { code, answers, additional }: Reply): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(id, 0);
  // A response, authoritative, recursion offered.
  header.writeUInt16BE(0x8480 | (recursionDesired ? 0x0100 : 0) | codes[code], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt16BE(additional.length, 10);
  return Buffer.concat([header, bytes, ...answers.map(formatRecord), ...additional.map(formatRecord)]);
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

function formatIpv6(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
