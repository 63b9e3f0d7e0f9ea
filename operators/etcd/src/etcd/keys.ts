/** Conversion of keys to etcd's form: a key, or a range from a key to an exclusive end. */
import type { Keys } from "./client.ts";

/** A range in the wire format. */
export interface WireRange {
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
}

const NONE = Buffer.alloc(0);
/** As a key: the smallest one; as an end: no end. */
const ZERO = Buffer.of(0);

export function toRange(keys: Keys): WireRange {
  if ("prefix" in keys) {
    const prefix = Buffer.from(keys.prefix);
    return prefix.length === 0 ? { key: ZERO, rangeEnd: ZERO } : { key: prefix, rangeEnd: endOfPrefix(prefix) };
  }
  if ("from" in keys) return { key: Buffer.from(keys.from), rangeEnd: Buffer.from(keys.to) };
  return { key: Buffer.from(keys.key), rangeEnd: NONE };
}

export function fromRange({ key, rangeEnd }: WireRange): Keys {
  if (rangeEnd.length === 0) return { key };
  if (key.equals(ZERO) && rangeEnd.equals(ZERO)) return { prefix: NONE };
  return endOfPrefix(key).equals(rangeEnd) ? { prefix: key } : { from: key, to: rangeEnd };
}

/** The first key after all with this prefix: increments the last byte that can be incremented, and drops the following ones. */
function endOfPrefix(prefix: Buffer): Buffer {
  for (let at = prefix.length - 1; at >= 0; at--) {
    const byte = prefix[at];
    if (byte === undefined || byte === 0xff) continue;
    const end = Buffer.from(prefix.subarray(0, at + 1));
    end[at] = byte + 1;
    return end;
  }
  return ZERO;
}
