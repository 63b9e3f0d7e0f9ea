/** Keeps many short texts outside the JavaScript heap, in a few large slabs, so that a large cache costs the garbage collector nothing. */

/** Where a text lies. Only the arena reads and writes it. */
export interface Extent {
  /** Undefined once the text was given up. */
  slab: Slab | undefined;
  offset: number;
  length: number;
  /** Whether the bytes are deflated. */
  packed: boolean;
}

interface Slab {
  readonly bytes: Buffer;
  /** Given out, in order; those that were given up stay until the slab is emptied, for a set would cost more than they do. */
  readonly extents: Extent[];
  used: number;
  /** Bytes of texts that are still wanted. */
  live: number;
}

const SLAB_SIZE = 256 * 1024;

/** A slab of which less than this share is live is emptied into another. */
const LIVE_SHARE = 0.4;

/** Texts in slabs. */
export class Arena {
  readonly #slabs = new Set<Slab>();
  #current: Slab | undefined;
  #live = 0;

  /** Bytes that texts take. */
  get liveBytes(): number {
    return this.#live;
  }

  /** Bytes that slabs take. */
  get heldBytes(): number {
    let held = 0;
    for (const slab of this.#slabs) held += slab.bytes.length;
    return held;
  }

  /** Keeps a text. */
  write(text: string): Extent {
    const length = Buffer.byteLength(text);
    const extent = this.#reserve(length);
    bytesOf(extent).write(text, extent.offset, length, "utf8");
    return extent;
  }

  /** Keeps a text that is there as bytes, in parts. */
  writeParts(parts: readonly Uint8Array[]): Extent {
    let length = 0;
    for (const part of parts) length += part.length;
    const extent = this.#reserve(length);
    let at = extent.offset;
    for (const part of parts) {
      bytesOf(extent).set(part, at);
      at += part.length;
    }
    return extent;
  }

  /** Keeps bytes that are deflated. */
  writePacked(bytes: Uint8Array): Extent {
    const extent = this.#reserve(bytes.length);
    bytesOf(extent).set(bytes, extent.offset);
    extent.packed = true;
    return extent;
  }

  read(extent: Extent): string {
    return bytesOf(extent).toString("utf8", extent.offset, extent.offset + extent.length);
  }

  /** The bytes themselves; valid until the next write. */
  view(extent: Extent): Uint8Array {
    return bytesOf(extent).subarray(extent.offset, extent.offset + extent.length);
  }

  /** Gives the place of a text back. */
  free(extent: Extent): void {
    const { slab } = extent;
    if (slab === undefined) return;
    extent.slab = undefined;
    slab.live -= extent.length;
    this.#live -= extent.length;
    if (slab === this.#current) return;
    if (slab.live === 0) this.#slabs.delete(slab);
    else if (slab.live < slab.bytes.length * LIVE_SHARE) this.#empty(slab);
  }

  #reserve(length: number): Extent {
    const slab = this.#roomFor(length);
    const extent = { slab, offset: slab.used, length, packed: false };
    slab.used += length;
    slab.live += length;
    slab.extents.push(extent);
    this.#live += length;
    return extent;
  }

  #roomFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.used + length <= current.bytes.length) return current;
    const size = Math.max(SLAB_SIZE, length);
    const slab: Slab = { bytes: Buffer.allocUnsafeSlow(size), extents: [], used: 0, live: 0 };
    this.#slabs.add(slab);
    // A text that is larger than a slab gets one of its own and the current slab stays open.
    if (length < SLAB_SIZE) this.#current = slab;
    return slab;
  }

  /** Moves what lives in a slab elsewhere; readers hold extents, so they do not notice. */
  #empty(slab: Slab): void {
    this.#slabs.delete(slab);
    for (const extent of slab.extents) {
      if (extent.slab !== slab) continue;
      const target = this.#roomFor(extent.length);
      slab.bytes.copy(target.bytes, target.used, extent.offset, extent.offset + extent.length);
      extent.slab = target;
      extent.offset = target.used;
      target.used += extent.length;
      target.live += extent.length;
      target.extents.push(extent);
    }
  }
}

function bytesOf({ slab }: Extent): Buffer {
  if (slab === undefined) throw new RangeError("a text was read after it was given up");
  return slab.bytes;
}
