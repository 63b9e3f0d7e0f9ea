/** Writes DER, the binary form of ASN.1 that certificates use. */

/** The universal tags that certificates use. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nothing: 0x05,
  objectId: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  bmpString: 0x1e,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, length and the parts of its content one after another. */
export function element(tagByte: number, ...parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tagByte, ...lengthBytes(size)]), ...parts]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(tag.sequence, ...parts);
}

/** An element that is tagged by its position, such as `[0]`; constructed ones hold elements, others hold bytes. */
export function tagged(position: number, kind: "constructed" | "primitive", ...parts: readonly Uint8Array[]): Buffer {
  return element((kind === "constructed" ? 0xa0 : 0x80) | position, ...parts);
}

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  const needsSign = (digits[0] ?? 0) >= 0x80;
  return needsSign ? element(tag.integer, Buffer.of(0), digits) : element(tag.integer, digits);
}

export function boolean(value: boolean): Buffer {
  return element(tag.boolean, Buffer.of(value ? 0xff : 0));
}

/** A bit string; `unusedBits` counts the padding at the end of its last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(tag.bitString, Buffer.of(unusedBits), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(tag.octetString, bytes);
}

export function text(value: string, stringTag: number = tag.utf8String): Buffer {
  return element(stringTag, Buffer.from(value, "utf8"));
}

/** An object identifier from its dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(tag.objectId, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A time: two-digit years until 2049, four digits from then on, as RFC 5280 (4.1.2.5) requires. */
export function time(moment: Date): Buffer {
  const digits = moment
    .toISOString()
    .slice(0, 19)
    .replaceAll(/[^0-9]/g, "");
  const year = moment.getUTCFullYear();
  const short = year >= 1950 && year < 2050;
  return text(`${short ? digits.slice(2) : digits}Z`, short ? tag.utcTime : tag.generalizedTime);
}

function lengthBytes(size: number): number[] {
  if (size < 0x80) return [size];
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
