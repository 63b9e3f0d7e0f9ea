/** The error of Go's ASN.1 decoder for bytes that are not a certificate request. The bytes are parsed again in the way Go does. */

/** A value that Go expects: a sequence, a primitive, or any value. */
interface Shape {
  readonly go: string;
  /** The tag; absent for any tag. */
  readonly tag?: number;
  readonly fields?: readonly Shape[];
  readonly isOptional?: boolean;
}

const sequence = 16;
const bits: Shape = { go: "BitString", tag: 3 };
const any: Shape = { go: "RawValue" };
const algorithm: Shape = {
  go: "AlgorithmIdentifier",
  tag: sequence,
  fields: [
    { go: "ObjectIdentifier", tag: 6 },
    { ...any, isOptional: true },
  ],
};
const key: Shape = { go: "publicKeyInfo", tag: sequence, fields: [algorithm, bits] };
const content: Shape = { go: "tbsCertificateRequest", tag: sequence, fields: [{ go: "int", tag: 2 }, any, key] };
const request: Shape = { go: "certificateRequest", tag: sequence, fields: [content, algorithm, bits] };

/** The error; `undefined` if the outer structure of the request is valid. */
export function requestComplaint(bytes: Uint8Array): string | undefined {
  const read = readShape(request, bytes, 0);
  if (typeof read === "string") return `asn1: ${read}`;
  return read < bytes.length ? "asn1: syntax error: trailing data" : undefined;
}

/** Reads a value; returns its end offset or the error. */
function readShape({ go, tag, fields = [], isOptional }: Shape, bytes: Uint8Array, offset: number): number | string {
  if (offset === bytes.length) return isOptional === true ? offset : "syntax error: sequence truncated";
  const header = readHeader(bytes, offset);
  if (typeof header === "string") return header;
  const { start, length } = header;
  if (tag !== undefined && !fits(header, tag)) return `structure error: ${mismatch(header, { go, tag })}`;
  if (start + length > bytes.length) return "syntax error: data truncated";
  const inner = bytes.subarray(start, start + length);
  let at = 0;
  for (const field of fields) {
    const read = readShape(field, inner, at);
    if (typeof read === "string") return read;
    at = read;
  }
  return start + length;
}

interface Header {
  readonly class: number;
  readonly tag: number;
  readonly isCompound: boolean;
  readonly length: number;
  /** The offset of the content. */
  readonly start: number;
}

function fits(header: Header, tag: number): boolean {
  return header.class === 0 && header.tag === tag && header.isCompound === (tag === sequence);
}

function readHeader(bytes: Uint8Array, offset: number): Header | string {
  const [first = 0, second] = [bytes[offset], bytes[offset + 1]];
  if (second === undefined) return "syntax error: truncated tag or length";
  const header = { class: first >> 6, tag: first & 0x1f, isCompound: (first & 0x20) !== 0 };
  if (second < 0x80) return { ...header, length: second, start: offset + 2 };
  const size = second & 0x7f;
  if (size === 0) return "syntax error: indefinite length found (not DER)";
  let length = 0;
  for (let at = offset + 2; at < offset + 2 + size; at++) {
    const byte = bytes[at];
    if (byte === undefined) return "syntax error: truncated tag or length";
    if (length >= 1 << 23) return "structure error: length too large";
    length = length * 256 + byte;
    if (length === 0) return "structure error: superfluous leading zeros in length";
  }
  return length < 0x80 ? "structure error: non-minimal length" : { ...header, length, start: offset + 2 + size };
}

const noParameters =
  "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";

function mismatch(header: Header, { go, tag }: { readonly go: string; readonly tag: number }): string {
  const found = `{class:${header.class} tag:${header.tag} length:${header.length} isCompound:${header.isCompound}}`;
  return `tags don't match (${tag} vs ${found}) ${noParameters} ${go} @${header.start}`;
}
