/** Pushes an image from a store to a registry. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { OciError } from "../errors.ts";
import type { Descriptor } from "../image.ts";
import { isIndex } from "../media-types.ts";
import type { Reference } from "../reference.ts";
import type { Store } from "../store/store.ts";
import type { TransferProgress } from "./pull.ts";
import type { RegistrySession } from "./session.ts";

export interface PushOptions {
  readonly store: Store;
  readonly session: RegistrySession;
  /** Repositories of the same registry that may have a blob already: it is then mounted instead of uploaded. */
  readonly mountFrom?: readonly string[];
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** Pushes an image under a reference, its parts first, so that the reference never points to an incomplete image. */
export async function pushImage(descriptor: Descriptor, reference: Reference, options: PushOptions): Promise<void> {
  await pushBelow(descriptor, reference, options);
  await putManifest(descriptor, reference, reference.tag ?? descriptor.digest, options);
}

async function pushBelow(descriptor: Descriptor, reference: Reference, options: PushOptions): Promise<void> {
  const { store } = options;
  if (isIndex(descriptor.mediaType)) {
    for (const one of (await store.readIndex(descriptor.digest)).manifests) {
      await pushBelow(one, reference, options);
      await putManifest(one, reference, one.digest, options);
    }
    return;
  }
  const { config, layers } = await store.readManifest(descriptor.digest);
  for (const blob of [...layers, config]) await pushBlob(blob, reference, options);
}

async function putManifest(
  { digest, mediaType }: Descriptor,
  { repository }: Reference,
  name: string,
  { store, session }: PushOptions,
): Promise<void> {
  const bytes = await readFile(store.blobPath(digest));
  await session.ask(`/v2/${repository}/manifests/${name}`, {
    method: "PUT",
    headers: { "content-type": mediaType },
    body: () => bytes,
  });
}

async function pushBlob(blob: Descriptor, { repository }: Reference, options: PushOptions): Promise<void> {
  const { session, onProgress } = options;
  const there = await session.ask(`/v2/${repository}/blobs/${blob.digest}`, { method: "HEAD", expect: [404] });
  if (there.status !== 200 && !(await mount(blob, repository, options))) await upload(blob, repository, options);
  onProgress?.({ digest: blob.digest, done: blob.size, size: blob.size });
}

async function mount(
  { digest }: Descriptor,
  repository: string,
  { session, mountFrom = [] }: PushOptions,
): Promise<boolean> {
  for (const from of mountFrom) {
    const query = new URLSearchParams({ mount: digest, from });
    const response = await session.ask(`/v2/${repository}/blobs/uploads/?${query.toString()}`, {
      method: "POST",
      headers: { "content-length": "0" },
    });
    if (response.status === 201) return true;
    await abandon(session, response);
  }
  return false;
}

async function abandon(session: RegistrySession, response: Response): Promise<void> {
  const location = response.headers.get("location");
  if (location !== null) await session.ask(location, { method: "DELETE", expect: [404, 405] });
}

const chunkSize = 16 * 2 ** 20;
const resumes = 5;

/** Small blobs are sent whole; large ones in chunks, so that a broken connection costs as little as the registry allows. */
async function upload(blob: Descriptor, repository: string, options: PushOptions): Promise<void> {
  const { store, session } = options;
  const isLarge = blob.size > chunkSize;
  const location = isLarge ? await uploadChunks(blob, repository, options) : await beginUpload(repository, session);
  const url = new URL(location, "http://placeholder");
  url.searchParams.set("digest", blob.digest);
  const whole = isLarge ? Buffer.alloc(0) : await readFile(store.blobPath(blob.digest));
  await session.ask(location.startsWith("http") ? url.href : `${url.pathname}${url.search}`, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream", "content-length": String(whole.length) },
    body: () => whole,
  });
}

async function beginUpload(repository: string, session: RegistrySession): Promise<string> {
  const headers = { "content-length": "0" };
  return locationOf(await session.ask(`/v2/${repository}/blobs/uploads/`, { method: "POST", headers }), session);
}

/**
 * Returns the final location of the upload. After a failure it asks the registry for the offset; a registry that forgot the upload gets
 * everything again.
 */
async function uploadChunks(blob: Descriptor, repository: string, options: PushOptions): Promise<string> {
  const { session, onProgress } = options;
  let location = await beginUpload(repository, session);
  let from = 0;
  for (let failures = 0; from < blob.size;) {
    const to = Math.min(from + chunkSize, blob.size) - 1;
    try {
      location = await uploadChunk(blob, { location, from, to }, options);
      from = to + 1;
    } catch (error) {
      if (++failures > resumes) throw error;
      const reached = await askHowFar(location, session);
      location = reached?.location ?? (await beginUpload(repository, session));
      from = reached?.from ?? 0;
    }
    onProgress?.({ digest: blob.digest, done: from, size: blob.size });
  }
  return location;
}

interface Chunk {
  readonly location: string;
  readonly from: number;
  readonly to: number;
}

async function uploadChunk(
  { digest }: Descriptor,
  { location, from, to }: Chunk,
  { store, session }: PushOptions,
): Promise<string> {
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(to - from + 1),
    "content-range": `${from}-${to}`,
  };
  const body = (): RequestInit["body"] =>
    Readable.toWeb(createReadStream(store.blobPath(digest), { start: from, end: to })) as ReadableStream<Uint8Array>;
  // Not retried as it is: a part of it may have arrived.
  return locationOf(await session.ask(location, { method: "PATCH", headers, body, tries: 1 }), session);
}

/**
 * `Range: 0-N` names the last received byte; a registry without any returns `0-0`, and a chunk is never one byte. Some registries cannot
 * continue after a partial chunk: they report an unknown upload.
 */
async function askHowFar(
  location: string,
  session: RegistrySession,
): Promise<{ readonly location: string; readonly from: number } | undefined> {
  const answer = await session.ask(location, { method: "GET", expect: [400, 404, 416] });
  await answer.body?.cancel();
  if (!answer.ok) return undefined;
  const last = Number(/^(?:bytes=)?0-(\d+)$/.exec(answer.headers.get("range") ?? "")?.[1] ?? 0);
  return { location: answer.headers.get("location") ?? location, from: last === 0 ? 0 : last + 1 };
}

function locationOf(response: Response, session: RegistrySession): string {
  const location = response.headers.get("location");
  if (location === null)
    throw new OciError(
      "Refused",
      `${session.registry} took an upload and did not say where to; it does not speak the distribution protocol`,
    );
  return location;
}
