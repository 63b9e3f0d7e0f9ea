/** An object of a list as raw bytes: its metadata is parsed, the other fields only on access. */
import { parseMetadata, scanMetadata } from "@capstan/client";
import type { ScannedMetadata } from "@capstan/client";
import type { StoredObject } from "@capstan/model";

/** The bytes of one object. They are views of the receive buffer: copy them to keep them. */
export class ListedBytes {
  readonly bytes: Buffer;
  readonly scanned: ScannedMetadata;
  /** Without managed fields. */
  readonly metadata: StoredObject["metadata"];
  #object: StoredObject | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const scanned = scanMetadata(this.bytes);
    if (scanned === undefined) throw new SyntaxError("an object without metadata was sent");
    this.scanned = scanned;
    // Listed objects have the metadata of stored objects.
    this.metadata = parseMetadata(this.bytes, scanned) as StoredObject["metadata"];
  }

  get object(): StoredObject {
    this.#object ??= parseBytes(this.bytes);
    return this.#object;
  }
}

/** Parses an object from its bytes. */
export function parseBytes(bytes: Uint8Array): StoredObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // A watch delivers objects of the watched kind.
  return JSON.parse(text) as StoredObject;
}
