/** Reads a bbolt database as far as needed to find a key in a bucket and the last key of a bucket, from which etcd derives its revision. */
import type { FileHandle } from "node:fs/promises";
import { BackupError } from "capstan/stateful";

const MAGIC = 0xed0cdaed;
const PAGE_HEAD = 16;
const FLAG = { branch: 0x01, leaf: 0x02 } as const;
const BUCKET = 0x01;

/** A page in memory, with its overflow pages. */
interface Page {
  readonly bytes: Buffer;
  readonly flags: number;
  readonly count: number;
}

/** The root of a bucket: a page, or, for a small bucket, the value that names it. */
type BucketRoot = { readonly page: bigint } | { readonly inline: Page };

export interface Bolt {
  get(bucket: string, key: string): Promise<Buffer | undefined>;
  lastKey(bucket: string): Promise<Buffer | undefined>;
}

/** Opens a database by the newer valid one of its two meta pages. */
export async function openBolt(file: FileHandle): Promise<Bolt> {
  const { root, pageSize } = await readMeta(file);
  const reader = new PageReader(file, pageSize);
  const bucketRoot = async (name: string): Promise<BucketRoot | undefined> => {
    const found = await reader.find({ page: root }, Buffer.from(name));
    return found && (found.flags & BUCKET) !== 0 ? toRoot(found.value) : undefined;
  };
  return {
    get: async (bucket, key) => {
      const at = await bucketRoot(bucket);
      return at && (await reader.find(at, Buffer.from(key)))?.value;
    },
    lastKey: async (bucket) => {
      const at = await bucketRoot(bucket);
      return at && reader.last(at);
    },
  };
}

async function readMeta(file: FileHandle): Promise<{ root: bigint; pageSize: number }> {
  const first = await readAt(file, 0, 4096);
  const pageSize = first.readUInt32LE(PAGE_HEAD + 8);
  const isPageSize = pageSize >= 1024 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  const second = await readAt(file, isPageSize ? pageSize : 4096, 4096);
  const metas = [first, second].filter(isMeta).sort((a, b) => (txid(a) < txid(b) ? 1 : -1));
  const [meta] = metas;
  if (meta === undefined) throw corrupt("it has no whole meta page");
  return { root: meta.readBigUInt64LE(PAGE_HEAD + 16), pageSize: meta.readUInt32LE(PAGE_HEAD + 8) };
}

/** Valid: magic number, version, and the checksum over everything before it. */
function isMeta(page: Buffer): boolean {
  const meta = page.subarray(PAGE_HEAD);
  const isOurs = meta.readUInt32LE(0) === MAGIC && meta.readUInt32LE(4) === 2;
  return isOurs && fnv64(meta.subarray(0, 56)) === meta.readBigUInt64LE(56);
}

function txid(page: Buffer): bigint {
  return page.readBigUInt64LE(PAGE_HEAD + 48);
}

/** 64-bit FNV-1a. */
function fnv64(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

function toRoot(value: Buffer): BucketRoot {
  const page = value.readBigUInt64LE(0);
  return page === 0n ? { inline: toPage(value.subarray(PAGE_HEAD)) } : { page };
}

/** Walks the tree of a bucket. */
class PageReader {
  readonly #file: FileHandle;
  readonly #pageSize: number;

  constructor(file: FileHandle, pageSize: number) {
    this.#file = file;
    this.#pageSize = pageSize;
  }

  async find(root: BucketRoot, key: Buffer): Promise<{ readonly flags: number; readonly value: Buffer } | undefined> {
    let page = await this.#open(root);
    for (let depth = 0; depth < 64; depth++) {
      if (page.flags & FLAG.leaf) {
        const at = lastNotAbove(page, key);
        const leaf = at >= 0 ? leafAt(page, at) : undefined;
        return leaf?.key.equals(key) ? leaf : undefined;
      }
      page = await this.#read(branchAt(page, Math.max(0, lastNotAbove(page, key))).page);
    }
    throw corrupt("its tree is too deep");
  }

  async last(root: BucketRoot): Promise<Buffer | undefined> {
    let page = await this.#open(root);
    for (let depth = 0; depth < 64; depth++) {
      if (page.flags & FLAG.leaf) return page.count === 0 ? undefined : leafAt(page, page.count - 1).key;
      page = await this.#read(branchAt(page, page.count - 1).page);
    }
    throw corrupt("its tree is too deep");
  }

  async #open(root: BucketRoot): Promise<Page> {
    return "inline" in root ? root.inline : this.#read(root.page);
  }

  async #read(id: bigint): Promise<Page> {
    const at = Number(id) * this.#pageSize;
    const head = await readAt(this.#file, at, this.#pageSize);
    if (head.readBigUInt64LE(0) !== id) throw corrupt(`page ${id} is not where it should be`);
    const more = head.readUInt32LE(12);
    return toPage(more === 0 ? head : await readAt(this.#file, at, this.#pageSize * (more + 1)));
  }
}

function toPage(bytes: Buffer): Page {
  if (bytes.length < PAGE_HEAD) throw corrupt("a page is too small");
  const flags = bytes.readUInt16LE(8);
  if ((flags & (FLAG.branch | FLAG.leaf)) === 0) throw corrupt("a page is neither branch nor leaf");
  return { bytes, flags, count: bytes.readUInt16LE(10) };
}

function leafAt(
  { bytes }: Page,
  index: number,
): { readonly flags: number; readonly key: Buffer; readonly value: Buffer } {
  const at = PAGE_HEAD + index * 16;
  const [flags, pos, keySize, valueSize] = [0, 4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset));
  const start = at + (pos ?? 0);
  const middle = start + (keySize ?? 0);
  const end = middle + (valueSize ?? 0);
  if (end > bytes.length) throw corrupt("an entry leaves its page");
  return { flags: flags ?? 0, key: bytes.subarray(start, middle), value: bytes.subarray(middle, end) };
}

function branchAt({ bytes }: Page, index: number): { readonly key: Buffer; readonly page: bigint } {
  const at = PAGE_HEAD + index * 16;
  const start = at + bytes.readUInt32LE(at);
  return { key: bytes.subarray(start, start + bytes.readUInt32LE(at + 4)), page: bytes.readBigUInt64LE(at + 8) };
}

/** The last entry with a key not above the given one; -1 if all are above. */
function lastNotAbove(page: Page, key: Buffer): number {
  const keyAt = (index: number): Buffer => (page.flags & FLAG.leaf ? leafAt(page, index) : branchAt(page, index)).key;
  let [low, high] = [0, page.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(keyAt(middle), key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead < length) throw corrupt("it ends too early");
  return bytes;
}

function corrupt(why: string): BackupError {
  return new BackupError("Corrupt", `the snapshot is not a database: ${why}`);
}
