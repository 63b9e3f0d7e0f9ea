/** An S3-compatible bucket as a store: small objects in one request, large ones in parts. */
import { checkName, isName, reasonOf, StoreError } from "../store.ts";
import type { Store, StoreCall, StoredObject } from "../store.ts";
import { openBucket } from "./bucket.ts";
import type { Bucket, BucketOptions } from "./bucket.ts";
import { elementsOf, textOf } from "./xml.ts";

/**
 * A bucket of an S3-compatible store.
 *
 * @example
 * const inFolder = (options: S3Options, prefix: string): S3Options => ({ ...options, prefix });
 */
export interface S3Options extends BucketOptions {
  /** Prefix of every name. */
  readonly prefix?: string;
  /** Bytes of a part: kept in memory for retries. S3 accepts at most 10,000 parts. */
  readonly partBytes?: number;
}

const PART = 16 << 20;

/**
 * A store in a bucket. Opens without a request.
 *
 * @example
 * const placeOf = (options: S3Options) => {
 *   using store = openS3(options);
 *   return store.place;
 * };
 */
export function openS3(options: S3Options): Store & Disposable {
  const { prefix = "", partBytes = PART } = options;
  const bucket = openBucket(options);
  const keyOf = (name: string): string => `${prefix}${checkName(name)}`;
  return {
    place: `${bucket.place}/${prefix}`,
    put: (name, content, call) => upload({ bucket, key: keyOf(name), partBytes, ...call }, content),
    get: async (name, { signal } = {}) => {
      const key = keyOf(name);
      const answer = await bucket.send({ method: "GET", key, signal });
      return readChecked(answer, Number(answer.headers["content-length"] ?? Number.NaN), key);
    },
    list: async (desired, call) => {
      const found = await listAll(bucket, `${prefix}${desired}`, call);
      // A name that leads out of the store is not one of this store: it must not stop a list of the others.
      return found
        .filter(({ name }) => name.startsWith(prefix) && isName(name.slice(prefix.length)))
        .map((object) => ({ ...object, name: object.name.slice(prefix.length) }));
    },
    remove: async (name, { signal } = {}) => {
      await bucket.ask({ method: "DELETE", key: keyOf(name), signal }).catch(ignoreMissing);
    },
    [Symbol.dispose]: () => bucket[Symbol.dispose](),
  };
}

interface Upload extends StoreCall {
  readonly bucket: Bucket;
  readonly key: string;
  readonly partBytes: number;
}

async function upload(target: Upload, content: AsyncIterable<Uint8Array>): Promise<{ bytes: number }> {
  const { bucket, key, signal } = target;
  const parts = inParts(content, target.partBytes);
  const first = await parts.next();
  const body = first.done ? Buffer.alloc(0) : first.value;
  const second = first.done ? first : await parts.next();
  if (second.done) {
    await bucket.ask({ method: "PUT", key, body, signal });
    return { bytes: body.length };
  }
  return uploadParts(target, chain([body, second.value], parts));
}

/** Aborts an upload that fails, or the store would keep and charge for its parts. */
async function uploadParts(target: Upload, parts: AsyncIterable<Buffer>): Promise<{ bytes: number }> {
  const { bucket, key, signal } = target;
  const begun = await bucket.ask({ method: "POST", key, query: [["uploads", ""]], signal });
  const id = textOf(begun.text, "UploadId");
  if (id === undefined)
    throw new StoreError("Malformed", `could not begin to write ${key}: the store gave no upload id`);
  try {
    let bytes = 0;
    const tags: string[] = [];
    for await (const body of parts) {
      const query = [
        ["partNumber", String(tags.length + 1)],
        ["uploadId", id],
      ] as const;
      const { headers } = await bucket.ask({ method: "PUT", key, query, body, signal });
      tags.push(headers.etag ?? "");
      bytes += body.length;
    }
    await complete(target, id, tags);
    return { bytes };
  } catch (error) {
    await bucket.ask({ method: "DELETE", key, query: [["uploadId", id]] }).catch(() => {});
    throw error;
  }
}

/** A completed upload can return status 200 with an error in its body. */
async function complete({ bucket, key, signal }: Upload, id: string, tags: readonly string[]): Promise<void> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const { text } = await bucket.ask({ method: "POST", key, query: [["uploadId", id]], body, signal });
  if (!text.includes("<Error>")) return;
  throw new StoreError(
    "Refused",
    `could not finish ${key}: ${textOf(text, "Message") ?? "the store does not say why"}`,
  );
}

/** Splits a stream into parts of one size; the last may be smaller. */
async function* inParts(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer, void, void> {
  let part = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length;) {
      const taken = Math.min(size - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < size) continue;
      yield part;
      part = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

async function* chain(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  yield* first;
  yield* rest;
}

/** A connection that ends early must not look like the end of the object. */
async function* readChecked(
  answer: AsyncIterable<Buffer>,
  expected: number,
  key: string,
): AsyncGenerator<Buffer, void, void> {
  let bytes = 0;
  try {
    for await (const part of answer) {
      bytes += part.length;
      yield part;
    }
  } catch (cause) {
    throw new StoreError("Unreachable", `could not read ${key} to its end: ${reasonOf(cause)}`, { cause });
  }
  if (bytes === expected || Number.isNaN(expected)) return;
  throw new StoreError("Unreachable", `could not read ${key} to its end: ${bytes} of ${expected} bytes came`);
}

/** More objects or pages than any store of backups has. */
const MOST_OBJECTS = 1_000_000;
const MOST_PAGES = 2_000;

async function listAll(bucket: Bucket, prefix: string, { signal }: StoreCall = {}): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  let token: string | undefined;
  let pages = 0;
  do {
    const query: [string, string][] = [
      ["list-type", "2"],
      ["prefix", prefix],
    ];
    if (token !== undefined) query.push(["continuation-token", token]);
    const { text } = await bucket.ask({ method: "GET", query, signal });
    for (const element of elementsOf(text, "Contents")) found.push(toObject(element));
    if (++pages > MOST_PAGES || found.length > MOST_OBJECTS)
      throw new StoreError("Malformed", `the store lists objects without end (${found.length} so far); check it`);
    token = nextToken(text, token);
  } while (token !== undefined);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The continuation token. A truncated list must not look complete: missing backups would seem not to exist. */
function nextToken(text: string, former: string | undefined): string | undefined {
  if (textOf(text, "IsTruncated") !== "true") return undefined;
  const token = textOf(text, "NextContinuationToken");
  if (token !== undefined && token !== "" && token !== former) return token;
  throw new StoreError("Malformed", "the store lists a part of its objects and does not say how to get the rest");
}

function toObject(xml: string): StoredObject {
  const name = textOf(xml, "Key");
  const modified = new Date(textOf(xml, "LastModified") ?? "");
  const bytes = Number(textOf(xml, "Size") ?? 0);
  if (name === undefined || Number.isNaN(modified.getTime()) || !Number.isSafeInteger(bytes)) {
    throw new StoreError("Malformed", "the store lists an object without name, time or size");
  }
  return { name, bytes, modified };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== "NotFound") throw error;
}
