/** Finds the key facts of an object in its bytes without parsing it: for caches that keep bytes and make objects when read. */
import {
  MalformedJson,
  closeBrace,
  comma,
  expect,
  openBrace,
  quote,
  skipSpace,
  skipString,
  skipValue,
  spells,
  stringAt,
} from "./json-bytes.ts";
import type { Member } from "./json-bytes.ts";

/** A range of bytes, from the first up to, not including, the last. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** What a scan found. Absent fields are empty, as Kubernetes treats them. */
export interface ScannedMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Where the metadata stands, and within it the managed fields (key and value), which caches like to cut out. */
  readonly range: ByteRange;
  readonly managedFields: ByteRange | undefined;
}

const word = (text: string): Uint8Array => Buffer.from(JSON.stringify(text));
const metadataKey = word("metadata");
const managedFieldsKey = word("managedFields");
const namespaceKey = word("namespace");
const nameKey = word("name");
const uidKey = word("uid");
const resourceVersionKey = word("resourceVersion");
const colon = 0x3a;

/** What has been found so far. */
interface Found {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  managedFields: ByteRange | undefined;
}

/** Scans the JSON of one object; throws `MalformedJson` where the bytes up to the end of the metadata are none. */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  let at = skipSpace(bytes, expect(bytes, 0, openBrace));
  while (bytes[at] !== closeBrace) {
    const keyTo = skipKey(bytes, at);
    const from = skipSpace(bytes, expect(bytes, keyTo, colon));
    if (isKey(bytes, at, keyTo, metadataKey)) return scanWithin(bytes, from);
    at = next(bytes, skipValue(bytes, from));
  }
  return undefined;
}

function scanWithin(bytes: Uint8Array, start: number): ScannedMetadata {
  const found: Found = { namespace: "", name: "", uid: "", resourceVersion: "", managedFields: undefined };
  let at = skipSpace(bytes, expect(bytes, start, openBrace));
  while (bytes[at] !== closeBrace) {
    const keyTo = skipKey(bytes, at);
    const from = skipSpace(bytes, expect(bytes, keyTo, colon));
    const to = skipValue(bytes, from);
    if (isKey(bytes, at, keyTo, managedFieldsKey)) found.managedFields = { from: at, to };
    else if (bytes[from] === quote) note(bytes, { keyFrom: at, keyTo, from, to }, found);
    at = next(bytes, to);
  }
  const { namespace, name, uid, resourceVersion, managedFields } = found;
  return { namespace, name, uid, resourceVersion, managedFields, range: { from: start, to: at + 1 } };
}

function note(bytes: Uint8Array, { keyFrom, keyTo, from, to }: Member, found: Found): void {
  if (isKey(bytes, keyFrom, keyTo, nameKey)) found.name = stringAt(bytes, from, to);
  else if (isKey(bytes, keyFrom, keyTo, namespaceKey)) found.namespace = stringAt(bytes, from, to);
  else if (isKey(bytes, keyFrom, keyTo, uidKey)) found.uid = stringAt(bytes, from, to);
  else if (isKey(bytes, keyFrom, keyTo, resourceVersionKey)) found.resourceVersion = stringAt(bytes, from, to);
}

function skipKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) throw new MalformedJson(`a key is missing at byte ${at}`);
  return skipString(bytes, at);
}

/** The position of the next key, or of the brace that ends the object. */
function next(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  return bytes[at] === closeBrace ? at : skipSpace(bytes, expect(bytes, at, comma));
}

/** Keys are compared as written: no Kubernetes server escapes these names. */
function isKey(bytes: Uint8Array, from: number, to: number, key: Uint8Array): boolean {
  return to - from === key.length && spells(bytes, from, key);
}
