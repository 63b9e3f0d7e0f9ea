/** Finds the key facts of an object in its bytes without parsing it: for caches that keep bytes and make objects when read. */
import { quote, spells, stringAt, visitMembers } from "./json-bytes.ts";
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
const wanted = (["namespace", "name", "uid", "resourceVersion"] as const).map((field) => ({ field, key: word(field) }));

type Found = { -readonly [Field in "namespace" | "name" | "uid" | "resourceVersion"]: string } & {
  managedFields: ByteRange | undefined;
};

/** Scans the JSON of one object; throws `MalformedJson` where the bytes up to the end of the metadata are none. */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  let metadata: ByteRange | undefined;
  visitMembers(bytes, 0, (member) => {
    if (!isKey(bytes, member, metadataKey)) return false;
    metadata = { from: member.from, to: member.to };
    return true;
  });
  return metadata === undefined ? undefined : { ...scanWithin(bytes, metadata), range: metadata };
}

function scanWithin(bytes: Uint8Array, { from }: ByteRange): Found {
  const found: Found = { namespace: "", name: "", uid: "", resourceVersion: "", managedFields: undefined };
  visitMembers(bytes, from, (member) => {
    if (isKey(bytes, member, managedFieldsKey)) found.managedFields = { from: member.keyFrom, to: member.to };
    else if (bytes[member.from] === quote) note(bytes, member, found);
    return false;
  });
  return found;
}

function note(bytes: Uint8Array, member: Member, found: Found): void {
  for (const { field, key } of wanted) {
    if (isKey(bytes, member, key)) found[field] = stringAt(bytes, member.from, member.to);
  }
}

/** Keys are compared as written: no Kubernetes server escapes these names. */
function isKey(bytes: Uint8Array, { keyFrom, keyTo }: Member, key: Uint8Array): boolean {
  return keyTo - keyFrom === key.length && spells(bytes, keyFrom, key);
}
