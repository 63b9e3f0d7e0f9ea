/** Brings an image from a registry into a store. */
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { digesterFor, digestOf } from "../digest.ts";
import { OciError } from "../errors.ts";
import type { Descriptor, Platform } from "../image.ts";
import { isIndex, isManifest, mediaTypes } from "../media-types.ts";
import { formatReference, type Reference } from "../reference.ts";
import { choose, type Store, type StoredImage } from "../store/store.ts";
import type { RegistrySession } from "./session.ts";

/** How far a transfer has come. */
export interface TransferProgress {
  readonly digest: string;
  readonly done: number;
  readonly size: number;
}

export interface PullOptions {
  readonly store: Store;
  readonly session: RegistrySession;
  /** Which image of an index; `all` brings every one. */
  readonly platform: Platform | "all";
  readonly onProgress?: (progress: TransferProgress) => void;
}

const accepted = [mediaTypes.index, mediaTypes.dockerIndex, mediaTypes.manifest, mediaTypes.dockerManifest].join(", ");

/** Pulls an image and names it in the store. What is there already is not fetched again. */
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
  const bytes = Buffer.from(await response.arrayBuffer());
  if (isDigest) checkDigest(bytes, name, session.registry);
  const digest = digestOf(bytes);
  await store.write([bytes], { digest });
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? mediaTypes.manifest;
  return { mediaType, digest, size: bytes.length };
}

function checkDigest(bytes: Uint8Array, wanted: string, registry: string): void {
  const digester = digesterFor(wanted);
  digester.update(bytes);
  const given = digester.digest();
  if (given !== wanted) throw new OciError("BadDigest", `${registry} gave ${given} for ${wanted}; do not trust it`);
}

async function fetchBelow(reference: Reference, descriptor: Descriptor, options: PullOptions): Promise<void> {
  const { store, platform } = options;
  if (isIndex(descriptor.mediaType)) {
    const index = await store.readIndex(descriptor.digest);
    const wanted = platform === "all" ? index.manifests : [choose(index, platform, descriptor.digest)];
    for (const one of wanted) await fetchBelow(reference, await fetchManifest(reference, one.digest, options), options);
    return;
  }
  if (!isManifest(descriptor.mediaType))
    throw new OciError("BadImage", `${descriptor.digest} is ${descriptor.mediaType}, which is no image`);
  const { config, layers } = await store.readManifest(descriptor.digest);
  await inParallel([config, ...layers], 3, (blob) => fetchBlob(reference, blob, options));
}

const resumes = 5;

/** A blob that arrives broken off is continued where it stopped, then checked as a whole before it counts. */
async function fetchBlob(
  { repository }: Reference,
  blob: Descriptor,
  { store, session, onProgress }: PullOptions,
): Promise<void> {
  if (await store.has(blob.digest)) return;
  const partial = join(store.folder, "blobs", `.partial-${blob.digest.replace(":", "-")}`);
  for (let attempt = 1; ; attempt++) {
    const done = await stat(partial).then(
      ({ size }) => size,
      () => 0,
    );
    if (done >= blob.size) break;
    const headers = done > 0 ? { range: `bytes=${done}-` } : {};
    const response = await session.ask(`/v2/${repository}/blobs/${blob.digest}`, { method: "GET", headers });
    const failure = await append(partial, response, { from: response.status === 206 ? done : 0, blob, onProgress });
    if (failure === undefined) break;
    if (attempt === resumes)
      throw new OciError(
        "Unreachable",
        `the transfer of ${blob.digest} from ${session.registry} broke off ${resumes} times; try again, it goes on where it stopped`,
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

async function append(path: string, response: Response, { from, blob, onProgress }: Arriving): Promise<unknown> {
  const file = await open(path, from > 0 ? "r+" : "w");
  let at = from;
  try {
    for await (const chunk of response.body ?? []) {
      await file.write(chunk, 0, chunk.length, at);
      at += chunk.length;
      onProgress?.({ digest: blob.digest, done: at, size: blob.size });
      if (at > blob.size)
        throw new OciError("BadDigest", `${blob.digest} has more bytes than were announced; do not trust it`);
    }
    return at < blob.size ? new Error("the connection ended early") : undefined;
  } catch (error) {
    if (error instanceof OciError) throw error;
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
