/**
 * Keeps many short strings outside the JavaScript heap, in slabs, so that a large cache costs the garbage collector nothing. Beyond a
 * limit, slabs that were not read recently are deflated as a whole: neighbouring objects are similar, and one call for a hundred strings
 * costs little.
 */
import type * as Zlib from "node:zlib";

/** The location of a string. The owner embeds it in its own entry; only the arena reads and writes it. */
export interface Extent {
  /** Undefined before the first write and after `free`. */
  slab: Slab | undefined;
  offset: number;
  length: number;
}

interface Slab {
  readonly size: number;
  /** Undefined while the slab is deflated. */
  bytes: Buffer | undefined;
  /** The deflated bytes. They are kept while the slab is inflated, because a full slab never changes: deflating it again costs nothing. */
  packed: Buffer | undefined;
  /** Extents in order of allocation. Freed ones stay until the slab is compacted, because a set would cost more memory. */
  readonly extents: Extent[];
  used: number;
  /** Bytes of strings that are not freed. */
  live: number;
  /** Whether the slab was read since the last pass of the deflater. */
  isWarm: boolean;
}

const SLAB_SIZE = 64 * 1024;

/** A slab with a smaller live share is compacted into another. */
const LIVE_SHARE = 0.4;

const NOTHING = Buffer.alloc(0);

/** Strings in slabs. */
export class Arena {
  readonly #limit: number;
  readonly #slabs = new Set<Slab>();
  /** Full inflated slabs that could be deflated, oldest first. */
  readonly #open = new Set<Slab>();
  #current: Slab | undefined;
  /** The buffer of a deflated slab, for reuse. */
  #spare: Buffer | undefined;
  #openBytes = 0;
  #packedBytes = 0;

  /** Deflates slabs that were not read recently when more bytes than this are held; at least half of the bytes stay inflated. */
  constructor(limit: number = Infinity) {
    this.#limit = limit;
  }

  /** Bytes of live strings. */
  get liveBytes(): number {
    let live = 0;
    for (const slab of this.#slabs) live += (slab.bytes === undefined ? 0 : slab.live) + (slab.packed?.length ?? 0);
    return live;
  }

  /** Bytes of all slabs. */
  get heldBytes(): number {
    return this.#openBytes + this.#packedBytes;
  }

  /** Stores a string. */
  write(extent: Extent, text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(extent, length).write(text, extent.offset, length, "utf8");
  }

  /** Stores a string that is given as bytes, in parts. */
  writeParts(extent: Extent, parts: readonly Uint8Array[]): void {
    let length = 0;
    for (const part of parts) length += part.length;
    const bytes = this.#reserve(extent, length);
    let at = extent.offset;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
  }

  read({ slab, offset, length }: Extent): string {
    if (slab === undefined) throw new RangeError("a text was read after it was given up");
    slab.isWarm = true;
    return this.#bytesOf(slab).toString("utf8", offset, offset + length);
  }

  /** Frees a string. */
  free(extent: Extent): void {
    const { slab } = extent;
    if (slab === undefined) return;
    extent.slab = undefined;
    slab.live -= extent.length;
    if (slab === this.#current) return;
    if (slab.live === 0) this.#drop(slab);
    else if (slab.live < slab.size * LIVE_SHARE) this.#empty(slab);
  }

  #reserve(extent: Extent, length: number): Buffer {
    const slab = this.#roomFor(length);
    place(extent, slab, length);
    return this.#bytesOf(slab);
  }

  #roomFor(length: number): Slab {
    const current = this.#current;
    if (current !== undefined && current.used + length <= current.size) return current;
    const size = Math.max(SLAB_SIZE, length);
    const slab: Slab = { size, bytes: undefined, packed: undefined, extents: [], used: 0, live: 0, isWarm: true };
    this.#slabs.add(slab);
    // A string that is larger than a slab gets its own slab, and the current slab stays current.
    if (length < SLAB_SIZE) {
      this.#current = slab;
      if (current !== undefined) this.#close(current);
    } else this.#close(slab);
    this.#unfold(slab);
    return slab;
  }

  /** A slab is full: nothing in it changes from now on. */
  #close(slab: Slab): void {
    this.#open.add(slab);
    if (slab.live === 0 && slab.used > 0) this.#drop(slab);
  }

  /** Inflates a slab, into the buffer of another one if that must be deflated: released memory stays allocated until it is collected. */
  #unfold(slab: Slab): Buffer {
    this.#openBytes += slab.size;
    this.#stayWithinLimit(slab);
    const bytes = (slab.size === SLAB_SIZE ? this.#spare : undefined) ?? Buffer.allocUnsafeSlow(slab.size);
    if (bytes === this.#spare) this.#spare = undefined;
    slab.bytes = bytes;
    return bytes;
  }

  /** Moves the live strings of a slab elsewhere; readers hold extents, so they do not notice. */
  #empty(slab: Slab): void {
    const bytes = this.#bytesOf(slab);
    this.#drop(slab);
    for (const extent of slab.extents) {
      if (extent.slab !== slab) continue;
      const from = extent.offset;
      const to = this.#reserve(extent, extent.length);
      bytes.copy(to, extent.offset, from, from + extent.length);
    }
  }

  #drop(slab: Slab): void {
    if (!this.#slabs.delete(slab)) return;
    this.#open.delete(slab);
    if (slab.bytes !== undefined) this.#openBytes -= slab.size;
    this.#packedBytes -= slab.packed?.length ?? 0;
  }

  /** The clock algorithm: a slab that was read since the last pass gets another chance. */
  #stayWithinLimit(wanted: Slab): void {
    for (const slab of this.#open) {
      if (this.heldBytes <= this.#limit || this.#openBytes <= this.#limit / 2) return;
      if (slab === wanted) continue;
      this.#open.delete(slab);
      if (slab.isWarm) this.#open.add(slab);
      else this.#pack(slab);
      slab.isWarm = false;
    }
  }

  #pack(slab: Slab): void {
    const { bytes } = slab;
    if (bytes === undefined) return;
    if (slab.packed === undefined) {
      const packed = zlib().deflateRawSync(bytes.subarray(0, slab.used), { level: 1, chunkSize: 4096 });
      slab.packed = Buffer.allocUnsafeSlow(packed.length);
      slab.packed.set(packed);
      this.#packedBytes += packed.length;
    }
    slab.bytes = undefined;
    this.#openBytes -= slab.size;
    if (slab.size === SLAB_SIZE) this.#spare = bytes;
  }

  #bytesOf(slab: Slab): Buffer {
    return slab.bytes ?? this.#unpack(slab);
  }

  #unpack(slab: Slab): Buffer {
    const texts = zlib().inflateRawSync(slab.packed ?? NOTHING, { chunkSize: SLAB_SIZE });
    const bytes = this.#unfold(slab);
    bytes.set(texts);
    this.#open.add(slab);
    return bytes;
  }
}

function place(extent: Extent, slab: Slab, length: number): void {
  extent.slab = slab;
  extent.offset = slab.used;
  extent.length = length;
  slab.used += length;
  slab.live += length;
  slab.extents.push(extent);
}

/** Loaded lazily: only large caches need it, and its import costs time. */
function zlib(): typeof Zlib {
  return process.getBuiltinModule("node:zlib");
}
