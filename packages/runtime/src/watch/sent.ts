/** An object of a list as the server sent it: its metadata is at hand, the rest is made only when somebody looks at it. */
import { parseMetadata, scanMetadata } from "@capstan/client";
import type { ScannedMetadata } from "@capstan/client";
import type { StoredObject } from "@capstan/model";

/** The bytes of one object. They are views of what was received: whoever keeps them should copy them. */
export class SentObject {
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
    // What a server lists has the metadata of stored objects.
    this.metadata = parseMetadata(this.bytes, scanned) as StoredObject["metadata"];
  }

  get object(): StoredObject {
    this.#object ??= parseSent(this.bytes);
    return this.#object;
  }
}

/** An object made of its bytes. */
export function parseSent(bytes: Uint8Array): StoredObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  // What a server sends in a watch is an object of the kind that is watched.
  return JSON.parse(text) as StoredObject;
}
