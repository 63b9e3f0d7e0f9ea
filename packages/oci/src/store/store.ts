/** A content store: blobs under their digests and images under their names, in an OCI image layout. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, Digester, isDigest, verified } from "../digest.ts";
import { LARGEST_DOCUMENT, parseDocument, readConfig, readIndex, readManifest } from "../documents.ts";
import { OciError } from "../errors.ts";
import type { Descriptor, ImageConfig, Index, Manifest, Platform } from "../image.ts";
import { isIndex, isManifest, mediaTypes } from "../media-types.ts";
import { incoming, removeLeftOvers } from "./left-overs.ts";
import { withLock } from "./lock.ts";

/** An image in the store, for one platform. */
export interface StoredImage {
  readonly descriptor: Descriptor;
  readonly manifest: Manifest;
  readonly config: ImageConfig;
}

const nameAnnotation = "org.opencontainers.image.ref.name";
const containerdName = "io.containerd.image.name";

/** Opens a folder as a store; creates it if it does not exist. Several processes may use one store. */
export async function openStore(folder: string): Promise<Store> {
  await mkdir(join(folder, "blobs", "sha256"), { recursive: true });
  // Images pulled with a login are private to the user; a store of another user stays unchanged.
  await chmod(join(folder, "blobs"), 0o700).catch(() => {});
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }), { flag: "wx" }).catch(
    ignoreExisting,
  );
  return new Store(folder);
}

/** A folder of blobs. Blobs are verified when they are written; temporary files are never mistaken for blobs. */
export class Store {
  readonly folder: string;
  #isSwept = false;

  constructor(folder: string) {
    this.folder = folder;
  }

  blobPath(digest: string): string {
    if (!isDigest(digest)) throw new OciError("BadDigest", `"${digest}" is not a digest`);
    return join(this.folder, "blobs", ...digest.split(":"));
  }

  async has(digest: string): Promise<boolean> {
    return (await this.sizeOf(digest)) !== undefined;
  }

  async sizeOf(digest: string): Promise<number | undefined> {
    return stat(this.blobPath(digest)).then(
      ({ size }) => size,
      () => undefined,
    );
  }

  /** The bytes of a blob, verified while they are read. */
  async *read(digest: string): AsyncGenerator<Uint8Array> {
    if (!(await this.has(digest)))
      throw new OciError("NotFound", `there is no blob ${digest} in ${this.folder}; pull or load the image first`);
    yield* verified(createReadStream(this.blobPath(digest)) as AsyncIterable<Uint8Array>, { digest });
  }

  async readIndex(digest: string): Promise<Index> {
    return readIndex(await this.#readJson(digest), `index ${digest}`);
  }

  async readManifest(digest: string): Promise<Manifest> {
    return readManifest(await this.#readJson(digest), `manifest ${digest}`);
  }

  async readConfig(digest: string): Promise<ImageConfig> {
    return readConfig(await this.#readJson(digest), `configuration ${digest}`);
  }

  /** The media type that a document declares; the usual one if it declares none. */
  async mediaTypeOf(digest: string): Promise<string> {
    const { mediaType } = ((await this.#readJson(digest)) ?? {}) as { readonly mediaType?: unknown };
    return typeof mediaType === "string" ? mediaType : mediaTypes.manifest;
  }

  /** Documents are read whole: a blob that is larger than the limit is not a document. */
  async #readJson(digest: string): Promise<unknown> {
    const size = (await this.sizeOf(digest)) ?? 0;
    if (size > LARGEST_DOCUMENT)
      throw new OciError("BadImage", `could not read ${digest}: it has ${size} bytes, which no document has`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.read(digest)) chunks.push(chunk);
    return parseDocument(Buffer.concat(chunks), digest);
  }

  /** Stores bytes; with an expected digest they are verified before the blob appears. */
  async write(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    expected?: { readonly digest: string; readonly size?: number },
  ): Promise<{ digest: string; size: number }> {
    const temporary = join(this.folder, "blobs", `${incoming}${randomUUID()}`);
    const file = await open(temporary, "wx", 0o600);
    if (!this.#isSwept) await removeLeftOvers(join(this.folder, "blobs"), temporary).catch(() => {});
    this.#isSwept = true;
    const digester = new Digester();
    try {
      const source = expected === undefined ? chunks : verified(asAsync(chunks), expected);
      for await (const chunk of source) {
        digester.update(chunk);
        await file.write(chunk);
      }
      await file.sync();
      await file.close();
      const digest = expected?.digest ?? digester.digest();
      await rename(temporary, this.blobPath(digest));
      return { digest, size: digester.size };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async writeJson(value: unknown): Promise<{ digest: string; size: number }> {
    const bytes = Buffer.from(JSON.stringify(value));
    return (await this.has(digestOf(bytes))) ? { digest: digestOf(bytes), size: bytes.length } : this.write([bytes]);
  }

  /** Tags an image; an existing tag moves to the new image. */
  async tag(name: string, descriptor: Descriptor): Promise<void> {
    const { [nameAnnotation]: _, [containerdName]: __, ...kept } = descriptor.annotations ?? {};
    const named = { ...descriptor, annotations: { ...kept, [containerdName]: name, [nameAnnotation]: name } };
    await this.#changeNames((manifests) => [...manifests.filter((one) => nameOf(one) !== name), named]);
  }

  async untag(name: string): Promise<void> {
    await this.#changeNames((manifests) => manifests.filter((one) => nameOf(one) !== name));
  }

  /** Removes a name, and the blobs that no other name needs. */
  async remove(name: string): Promise<void> {
    const descriptor = await this.find(name);
    if (descriptor === undefined) return;
    await this.untag(name);
    const kept = await Promise.all((await this.list()).map((one) => this.#reachable(one.descriptor)));
    const needed = new Set(kept.flat());
    const unneeded = (await this.#reachable(descriptor)).filter((digest) => !needed.has(digest));
    await Promise.all(unneeded.map((digest) => rm(this.blobPath(digest), { force: true })));
  }

  /** The digests of a descriptor and of everything that it refers to, as far as that is in the store. */
  async #reachable({ digest, mediaType }: Descriptor, seen: Set<string> = new Set()): Promise<readonly string[]> {
    if (seen.has(digest)) return [];
    seen.add(digest);
    if (!(await this.has(digest))) return [digest];
    if (isIndex(mediaType)) {
      const { manifests } = await this.readIndex(digest);
      return [digest, ...(await Promise.all(manifests.map((one) => this.#reachable(one, seen)))).flat()];
    }
    if (!isManifest(mediaType)) return [digest];
    const { config, layers } = await this.readManifest(digest);
    return [digest, config.digest, ...layers.map((layer) => layer.digest)];
  }

  async find(name: string): Promise<Descriptor | undefined> {
    return (await this.#index()).manifests.find((one) => nameOf(one) === name || one.digest === name);
  }

  /** The names in the store and their descriptors. */
  async list(): Promise<{ readonly name: string; readonly descriptor: Descriptor }[]> {
    return (await this.#index()).manifests.flatMap((descriptor) => {
      const name = nameOf(descriptor);
      return name === undefined ? [] : [{ name, descriptor }];
    });
  }

  /** The image of a descriptor for one platform; an index is resolved. */
  async image(descriptor: Descriptor, platform: Platform): Promise<StoredImage> {
    if (isIndex(descriptor.mediaType))
      return this.image(choose(await this.readIndex(descriptor.digest), platform, descriptor.digest), platform);
    if (!isManifest(descriptor.mediaType))
      throw new OciError("BadImage", `${descriptor.digest} is ${descriptor.mediaType}, which is no image`);
    const manifest = await this.readManifest(descriptor.digest);
    return { descriptor, manifest, config: await this.readConfig(manifest.config.digest) };
  }

  async #index(): Promise<Index> {
    const text = await readFile(join(this.folder, "index.json"), "utf8").catch(() => undefined);
    return text === undefined
      ? { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [] }
      : (JSON.parse(text) as Index);
  }

  /** All names are in one file: a change must read it under the lock, or it would lose changes of others. */
  async #changeNames(change: (manifests: Index["manifests"]) => Index["manifests"]): Promise<void> {
    await withLock(join(this.folder, ".index.lock"), async () => {
      const { manifests, ...index } = await this.#index();
      const temporary = join(this.folder, `.index-${randomUUID()}.json`);
      await writeFile(temporary, JSON.stringify({ ...index, manifests: change(manifests) }), { mode: 0o600 });
      await rename(temporary, join(this.folder, "index.json"));
    });
  }

  /** Every blob in the store. */
  async blobs(): Promise<string[]> {
    return (await readdir(join(this.folder, "blobs", "sha256"))).map((hex) => `sha256:${hex}`);
  }
}

/** The entry of an index for a platform; one without a platform fits everywhere. */
export function choose(index: Index, platform: Platform, digest: string): Descriptor {
  const images = index.manifests.filter((one) => one.annotations?.["vnd.docker.reference.type"] === undefined);
  const fits = (one: Descriptor): boolean =>
    one.platform?.os === platform.os && one.platform.architecture === platform.architecture;
  const found =
    images.find((one) => fits(one) && one.platform?.variant === platform.variant) ??
    images.find(fits) ??
    images.find((one) => one.platform === undefined);
  if (found !== undefined) return found;
  const offered = images.map((one) => `${one.platform?.os}/${one.platform?.architecture}`).join(", ");
  throw new OciError(
    "NoPlatform",
    `${digest} has no image for ${platform.os}/${platform.architecture}; it has ${offered || "none"}`,
  );
}

/** The name of an entry: containerd's full one, or OCI's. */
export function nameOf({ annotations }: Descriptor): string | undefined {
  return annotations?.[containerdName] ?? annotations?.[nameAnnotation];
}

async function* asAsync(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
