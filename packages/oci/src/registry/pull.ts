/** Pulls an image from a registry into a store. */
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { digesterFor, digestOf } from "../digest.ts";
import { LARGEST_BLOB, LARGEST_DOCUMENT, parseDocument, readIndex, readManifest } from "../documents.ts";
import { OciError } from "../errors.ts";
import type { Descriptor, Platform } from "../image.ts";
import { isIndex, isManifest, mediaTypes } from "../media-types.ts";
import { formatReference, type Reference } from "../reference.ts";
import { partly } from "../store/left-overs.ts";
import { choose, type Store, type StoredImage } from "../store/store.ts";
import type { RegistrySession } from "./session.ts";

/** The progress of a transfer. */
export interface TransferProgress {
  readonly digest: string;
  readonly done: number;
  readonly size: number;
}

export interface PullOptions {
  readonly store: Store;
  readonly session: RegistrySession;
  /** The platform of an index; `all` pulls every one. */
  readonly platform: Platform | "all";
  readonly onProgress?: (progress: TransferProgress) => void;
}

const accepted = [mediaTypes.index, mediaTypes.dockerIndex, mediaTypes.manifest, mediaTypes.dockerManifest].join(", ");

/** Pulls an image and tags it in the store. Existing blobs are not fetched again. */
export async function pullImage(reference: Reference, options: PullOptions): Promise<Descriptor> {
  const descriptor = await fetchManifest(reference, reference.digest ?? reference.tag ?? "latest", options);
  await fetchBelow(reference, descriptor, options);
  await options.store.tag(formatReference(reference), descriptor);
  return descriptor;
}

/** Pulls an image for one platform and reads its configuration. */
export async function pullForPlatform(
  reference: Reference,
  options: PullOptions & { readonly platform: Platform },
): Promise<StoredImage> {
  return options.store.image(await pullImage(reference, options), options.platform);
}

async function fetchManifest(
  { repository }: Reference,
  name: string,
  { session, store }: PullOptions,
): Promise<Descriptor> {
  const isDigest = name.includes(":");
  const known = isDigest ? await store.sizeOf(name) : undefined;
  if (known !== undefined) {
    return { mediaType: await store.mediaTypeOf(name), digest: name, size: known };
  }
  const response = await session.ask(`/v2/${repository}/manifests/${name}`, {
    method: "GET",
    headers: { accept: accepted },
  });
  const bytes = await session.documentOf(response, `manifest ${name}`);
  if (isDigest) checkDigest(bytes, name, session.registry);
  const digest = digestOf(bytes);
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim() ?? mediaTypes.manifest;
  checkDocument(bytes, { mediaType, digest });
  await store.write([bytes], { digest });
  return { mediaType, digest, size: bytes.length };
}

/** Only valid documents get into the store. */
function checkDocument(bytes: Buffer, { mediaType, digest }: Pick<Descriptor, "mediaType" | "digest">): void {
  const value = parseDocument(bytes, digest);
  if (isIndex(mediaType)) readIndex(value, `index ${digest}`);
  else if (isManifest(mediaType)) readManifest(value, `manifest ${digest}`);
  else throw new OciError("BadImage", `${digest} is ${mediaType}, which is no image`);
}

function checkDigest(bytes: Uint8Array, wanted: string, registry: string): void {
  const digester = digesterFor(wanted);
  digester.update(bytes);
  const given = digester.digest();
  if (given !== wanted) throw new OciError("BadDigest", `${registry} gave ${given} for ${wanted}; do not trust it`);
}

/** All blobs of an image together: without a limit, an image of many large layers fills the disk before it is unpacked. */
const largestImage = 4 * LARGEST_BLOB;

/** The maximum depth of nested indexes. */
const deepest = 4;

/** The digests that were fetched below a reference: each is fetched once, however often it is named. */
interface Below {
  readonly seen: Set<string>;
  readonly depth: number;
}

async function fetchBelow(
  reference: Reference,
  descriptor: Descriptor,
  options: PullOptions,
  { seen, depth }: Below = { seen: new Set(), depth: 0 },
): Promise<void> {
  const { store, platform } = options;
  if (seen.has(descriptor.digest)) return;
  seen.add(descriptor.digest);
  if (isIndex(descriptor.mediaType)) {
    if (depth === deepest)
      throw new OciError(
        "BadImage",
        `${descriptor.digest} is an index below ${deepest} others; ask the publisher of the image`,
      );
    const index = await store.readIndex(descriptor.digest);
    const wanted = platform === "all" ? index.manifests : [choose(index, platform, descriptor.digest)];
    for (const one of wanted) {
      const found = await fetchManifest(reference, one.digest, options);
      if (found.size !== one.size)
        throw new OciError("BadDigest", `${one.digest} has ${found.size} bytes where ${one.size} were announced`);
      await fetchBelow(reference, found, options, { seen, depth: depth + 1 });
    }
    return;
  }
  if (!isManifest(descriptor.mediaType))
    throw new OciError("BadImage", `${descriptor.digest} is ${descriptor.mediaType}, which is no image`);
  const { config, layers } = await store.readManifest(descriptor.digest);
  if (config.size > LARGEST_DOCUMENT)
    throw new OciError(
      "TooLarge",
      `the configuration ${config.digest} has ${config.size} bytes, which no document has`,
    );
  const blobs = new Map([config, ...layers].map((blob) => [blob.digest, blob]));
  const size = blobs.values().reduce((sum, blob) => sum + blob.size, 0);
  if (size > largestImage)
    throw new OciError("TooLarge", `${descriptor.digest} announces ${size} bytes, more than ${largestImage}`);
  await inParallel([...blobs.values()], 3, (blob) => fetchBlob(reference, blob, options));
}

const resumes = 5;

/** An interrupted blob is continued where it stopped, then verified as a whole before it is stored. */
async function fetchBlob(
  { repository }: Reference,
  blob: Descriptor,
  { store, session, onProgress }: PullOptions,
): Promise<void> {
  if (await store.has(blob.digest)) return;
  const partial = join(store.folder, "blobs", `${partly}${blob.digest.replace(":", "-")}`);
  for (let attempt = 1; ; attempt++) {
    const done = await stat(partial).then(
      ({ size }) => size,
      () => 0,
    );
    if (done >= blob.size) break;
    const headers = done > 0 ? { range: `bytes=${done}-` } : {};
    const response = await session.ask(`/v2/${repository}/blobs/${blob.digest}`, { method: "GET", headers });
    const from = response.status === 206 ? done : 0;
    const failure = await append(partial, session.chunksOf(response), { from, blob, onProgress });
    // A blob that failed verification is not continued either.
    if (failure instanceof OciError) {
      await rm(partial, { force: true });
      throw failure;
    }
    if (failure === undefined) break;
    if (attempt === resumes)
      throw new OciError(
        "Unreachable",
        `the transfer of ${blob.digest} from ${session.registry} was interrupted ${resumes} times; run the command again to resume it`,
        { cause: failure },
      );
  }
  try {
    await store.write(createReadStream(partial) as AsyncIterable<Uint8Array>, blob);
  } finally {
    await rm(partial, { force: true });
  }
}

interface Arriving {
  readonly from: number;
  readonly blob: Descriptor;
  readonly onProgress: PullOptions["onProgress"];
}

async function append(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { from, blob, onProgress }: Arriving,
): Promise<unknown> {
  const file = await open(path, from > 0 ? "r+" : "w");
  let at = from;
  try {
    for await (const chunk of chunks) {
      if (at + chunk.length > blob.size)
        throw new OciError("BadDigest", `${blob.digest} has more bytes than were announced; do not trust it`);
      await file.write(chunk, 0, chunk.length, at);
      at += chunk.length;
      onProgress?.({ digest: blob.digest, done: at, size: blob.size });
    }
    return at < blob.size ? new Error("the connection ended early") : undefined;
  } catch (error) {
    return error;
  } finally {
    await file.close();
  }
}

async function inParallel<T>(items: readonly T[], limit: number, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const hands = Array.from({ length: Math.min(limit, waiting.length) }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  });
  await Promise.all(hands);
}
