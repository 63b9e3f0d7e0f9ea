/** Images in one file: OCI archives and the format of `docker save`, into a store and out of it. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { LARGEST_DOCUMENT, readIndex, readSaved, type SavedImage } from "../documents.ts";
import { OciError } from "../errors.ts";
import type { Descriptor, Index, Manifest } from "../image.ts";
import { isIndex, mediaTypes } from "../media-types.ts";
import { parseReference } from "../reference.ts";
import { type ReadEntry, readTar } from "../tar/read.ts";
import { padding } from "../tar/entry.ts";
import { endOfArchive, formatHeader } from "../tar/write.ts";
import { nameOf, type Store } from "./store.ts";

/** Loads every image of an archive into the store; returns their names. */
export async function loadArchive(file: string, store: Store): Promise<string[]> {
  const contents = await takeIn(file, store);
  if (contents.index !== undefined) return tagAll(readIndex(contents.index, `index.json of ${file}`), store);
  if (contents.docker !== undefined)
    return loadSaved(readSaved(contents.docker, `manifest.json of ${file}`), contents.files, store);
  throw new OciError(
    "BadArchive",
    `${file} has neither index.json nor manifest.json; give an OCI archive or what \`docker save\` wrote`,
  );
}

interface Contents {
  readonly index: unknown;
  readonly docker: unknown;
  /** The digests of files that are not blobs by their path. */
  readonly files: ReadonlyMap<string, { readonly digest: string; readonly size: number }>;
}

async function takeIn(file: string, store: Store): Promise<Contents> {
  const files = new Map<string, { digest: string; size: number }>();
  let index: unknown;
  let docker: unknown;
  for await (const entry of readTar(createReadStream(file) as AsyncIterable<Uint8Array>)) {
    if (entry.type !== "file") continue;
    const path = entry.path.replace(/^\.\//, "");
    const blob = /^blobs\/(sha256|sha512)\/([0-9a-f]+)$/.exec(path);
    if (path === "index.json") index = await json(entry);
    else if (path === "manifest.json") docker = await json(entry);
    else if (blob !== null) files.set(path, await store.write(entry.body(), { digest: `${blob[1]}:${blob[2]}` }));
    else if (path !== "oci-layout" && path !== "repositories") files.set(path, await store.write(entry.body()));
  }
  return { index, docker, files };
}

async function json({ path, size, body }: ReadEntry): Promise<unknown> {
  if (size > LARGEST_DOCUMENT)
    throw new OciError("BadArchive", `could not read the archive: its ${path} has ${size} bytes`);
  const parts: Uint8Array[] = [];
  for await (const chunk of body()) parts.push(chunk);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (cause) {
    throw new OciError("BadArchive", "could not read the archive: its index is not JSON", { cause });
  }
}

/** Everything is checked before anything is tagged: an incomplete archive leaves no images that cannot run. */
async function tagAll({ manifests }: Index, store: Store): Promise<string[]> {
  if (manifests.length === 0) throw new OciError("BadArchive", "the archive names no image");
  const named = manifests.map((descriptor) => ({ name: nameOf(descriptor) ?? descriptor.digest, descriptor }));
  for (const { name, descriptor } of named) {
    if (name !== descriptor.digest) parseReference(name);
    await mustBeWhole(descriptor, store);
  }
  for (const { name, descriptor } of named) await store.tag(name, descriptor);
  return named.map(({ name }) => name);
}

/** An image needs all of its parts; of the platforms of an index one is enough. */
async function mustBeWhole(descriptor: Descriptor, store: Store, seen: Set<string> = new Set()): Promise<void> {
  const { digest, mediaType } = descriptor;
  if (seen.has(digest)) return;
  seen.add(digest);
  if (!(await store.has(digest))) throw missing(digest);
  if (isIndex(mediaType)) {
    const { manifests } = await store.readIndex(digest);
    const there = await Promise.all(manifests.map((one) => store.has(one.digest)));
    if (!there.includes(true)) throw missing(`any image of ${digest}`);
    for (const one of manifests.filter((_, index) => there[index])) await mustBeWhole(one, store, seen);
    return;
  }
  const { config, layers } = await store.readManifest(digest);
  for (const part of [config, ...layers]) if (!(await store.has(part.digest))) throw missing(part.digest);
  await store.readConfig(config.digest);
}

function missing(what: string): OciError {
  return new OciError("BadArchive", `the archive names ${what} and does not have it; save it again`);
}

async function loadSaved(images: readonly SavedImage[], files: Contents["files"], store: Store): Promise<string[]> {
  const loaded: string[] = [];
  for (const { config, layers, names } of images) {
    const find = (path: string): { digest: string; size: number } => {
      const found = files.get(path);
      if (found === undefined) throw missing(path);
      return found;
    };
    const manifest: Manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: { mediaType: mediaTypes.config, ...find(config) },
      layers: layers.map((path) => ({ mediaType: mediaTypes.layer, ...find(path) })),
    };
    for (const name of names) parseReference(name);
    await store.readConfig(manifest.config.digest);
    const descriptor: Descriptor = { mediaType: mediaTypes.manifest, ...(await store.writeJson(manifest)) };
    for (const name of names.length === 0 ? [descriptor.digest] : names) {
      await store.tag(name, descriptor);
      loaded.push(name);
    }
  }
  return loaded;
}

/** Writes one image with its blobs as an OCI archive that containerd and others import. */
export async function saveArchive(name: string, store: Store, file: string): Promise<void> {
  const descriptor = await store.find(name);
  if (descriptor === undefined)
    throw new OciError("NotFound", `there is no image ${name} in the store; build, pull or load it first`);
  const out = await open(file, "w");
  const add = async (path: string, bytes: Uint8Array): Promise<void> => {
    await out.write(formatHeader({ path, size: bytes.length }));
    await out.write(bytes);
    await out.write(Buffer.alloc(padding(bytes.length)));
  };
  try {
    await add("oci-layout", Buffer.from(JSON.stringify({ imageLayoutVersion: "1.0.0" })));
    const index: Index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [descriptor] };
    await add("index.json", Buffer.from(JSON.stringify(index)));
    for (const digest of (await reachable(descriptor, store)).toSorted()) {
      await add(`blobs/${digest.replace(":", "/")}`, await readFile(store.blobPath(digest)));
    }
    await out.write(endOfArchive);
  } finally {
    await out.close();
  }
}

/** Every blob of an image, itself included; missing platforms of an index are left out. */
export async function reachable(
  descriptor: Descriptor,
  store: Store,
  seen: Set<string> = new Set(),
): Promise<string[]> {
  // Indexes that name each other twice a level would double the work with each level.
  if (seen.has(descriptor.digest)) return [];
  seen.add(descriptor.digest);
  if (!(await store.has(descriptor.digest))) return [];
  if (isIndex(descriptor.mediaType)) {
    const { manifests } = await store.readIndex(descriptor.digest);
    const below = await Promise.all(manifests.map((one) => reachable(one, store, seen)));
    return [...new Set([descriptor.digest, ...below.flat()])];
  }
  const { config, layers } = await store.readManifest(descriptor.digest);
  return [...new Set([descriptor.digest, config.digest, ...layers.map(({ digest }) => digest)])];
}
