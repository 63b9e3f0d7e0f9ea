/** Images in one file: OCI archives and what `docker save` writes, into a store and out of it. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { OciError } from "../errors.ts";
import type { Descriptor, Index, Manifest } from "../image.ts";
import { isIndex, mediaTypes } from "../media-types.ts";
import { readTar } from "../tar/read.ts";
import { padding } from "../tar/entry.ts";
import { endOfArchive, formatHeader } from "../tar/write.ts";
import { nameOf, type Store } from "./store.ts";

interface DockerImage {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

/** Takes every image of an archive into the store; gives their names. */
export async function loadArchive(file: string, store: Store): Promise<string[]> {
  const contents = await takeIn(file, store);
  if (contents.index !== undefined) return tagAll(contents.index, store);
  if (contents.docker !== undefined) return loadDocker(contents.docker, contents.files, store);
  throw new OciError(
    "BadArchive",
    `${file} has neither index.json nor manifest.json; give an OCI archive or what \`docker save\` wrote`,
  );
}

interface Contents {
  readonly index: Index | undefined;
  readonly docker: readonly DockerImage[] | undefined;
  /** The digests of files that are not blobs by their path. */
  readonly files: ReadonlyMap<string, { readonly digest: string; readonly size: number }>;
}

async function takeIn(file: string, store: Store): Promise<Contents> {
  const files = new Map<string, { digest: string; size: number }>();
  let index: Index | undefined;
  let docker: readonly DockerImage[] | undefined;
  for await (const entry of readTar(createReadStream(file) as AsyncIterable<Uint8Array>)) {
    if (entry.type !== "file") continue;
    const path = entry.path.replace(/^\.\//, "");
    const blob = /^blobs\/(sha256|sha512)\/([0-9a-f]+)$/.exec(path);
    if (path === "index.json") index = (await json(entry.body())) as Index;
    else if (path === "manifest.json") docker = (await json(entry.body())) as readonly DockerImage[];
    else if (blob !== null) files.set(path, await store.write(entry.body(), { digest: `${blob[1]}:${blob[2]}` }));
    else if (path !== "oci-layout" && path !== "repositories") files.set(path, await store.write(entry.body()));
  }
  return { index, docker, files };
}

async function json(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (cause) {
    throw new OciError("BadArchive", "could not read the archive: its index is not JSON", { cause });
  }
}

async function tagAll(index: Index, store: Store): Promise<string[]> {
  const names: string[] = [];
  for (const descriptor of index.manifests) {
    const name = nameOf(descriptor) ?? descriptor.digest;
    await store.tag(name, descriptor);
    names.push(name);
  }
  return names;
}

async function loadDocker(images: readonly DockerImage[], files: Contents["files"], store: Store): Promise<string[]> {
  const names: string[] = [];
  for (const { Config, Layers, RepoTags } of images) {
    const find = (path: string): { digest: string; size: number } => {
      const found = files.get(path);
      if (found === undefined) throw new OciError("BadArchive", `the archive names ${path} and does not have it`);
      return found;
    };
    const manifest: Manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: { mediaType: mediaTypes.config, ...find(Config) },
      layers: Layers.map((path) => ({ mediaType: mediaTypes.layer, ...find(path) })),
    };
    const descriptor: Descriptor = { mediaType: mediaTypes.manifest, ...(await store.writeJson(manifest)) };
    for (const name of RepoTags ?? [descriptor.digest]) {
      await store.tag(name, descriptor);
      names.push(name);
    }
  }
  return names;
}

/** Writes one image with all it needs as an OCI archive that containerd and others import. */
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

/** Every blob that an image needs, itself included; platforms of an index that are not here are left out. */
export async function reachable(descriptor: Descriptor, store: Store): Promise<string[]> {
  if (!(await store.has(descriptor.digest))) return [];
  if (isIndex(descriptor.mediaType)) {
    const { manifests } = await store.readJson<Index>(descriptor.digest);
    const below = await Promise.all(manifests.map((one) => reachable(one, store)));
    return [...new Set([descriptor.digest, ...below.flat()])];
  }
  const { config, layers } = await store.readJson<Manifest>(descriptor.digest);
  return [...new Set([descriptor.digest, config.digest, ...layers.map(({ digest }) => digest)])];
}
