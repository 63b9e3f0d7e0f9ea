/** The images of a node: found by name, pulled when they are not there, unpacked once for all containers. */
import { chmod, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  compressionOf,
  formatReference,
  parseReference,
  platformOf,
  pullImage,
  unpackLayer,
  OciError,
  type CredentialSource,
  type ImageConfig,
  type RegistrySession,
  type Store,
  type StoredImage,
} from "@capstan/oci";
import { NodeError } from "../errors.ts";
import type { ImageRecord } from "../runtime/runtime.ts";
import type { Rights } from "./keeper-link.ts";

/** What images are made from. */
export interface ImagesOptions {
  readonly store: Store;
  /** Where unpacked images go. */
  readonly folder: string;
  readonly rights: Rights;
  /** How to talk to a registry; without it, images must be there. */
  readonly session: ((registry: string) => Promise<RegistrySession>) | undefined;
}

/** An image whose files are ready to be used. */
export interface UnpackedImage {
  readonly folder: string;
  readonly config: ImageConfig;
}

/** How many bytes an image may have when it is unpacked. */
const largestImage = 16 * 2 ** 30;

/** The images of a node. */
export class Images {
  readonly #options: ImagesOptions;
  readonly #unpacking = new Map<string, Promise<UnpackedImage>>();

  constructor(options: ImagesOptions) {
    this.#options = options;
  }

  async find(name: string): Promise<ImageRecord | undefined> {
    const found = await this.#lookUp(name);
    return found === undefined ? undefined : toRecord(found);
  }

  async pull(name: string, credentials: CredentialSource): Promise<ImageRecord> {
    const reference = parse(name);
    const { session, store } = this.#options;
    const registry = reference.registry;
    if (session === undefined) {
      // Without any registry, what is there is the newest that there is.
      const found = await this.#lookUp(name);
      if (found !== undefined) return toRecord(found);
      throw new NodeError(
        "ErrImagePull",
        `failed to pull and unpack image "${name}": no registry is configured; load the image`,
      );
    }
    try {
      const platform = platformOf(process);
      await pullImage(reference, { store, session: (await session(registry)).withCredentials(credentials), platform });
    } catch (cause) {
      throw new NodeError(
        "ErrImagePull",
        `failed to pull and unpack image "${formatReference(reference)}": ${messageOf(cause)}`,
        { cause },
      );
    }
    const found = await this.#lookUp(name);
    if (found === undefined) throw new NodeError("ErrImagePull", `image "${name}" is not there after it was pulled`);
    return toRecord(found);
  }

  /** The files of an image, all layers in one folder that nobody writes to. */
  unpack(name: string): Promise<UnpackedImage> {
    const running = this.#unpacking.get(name);
    if (running !== undefined) return running;
    const work = this.#unpack(name).finally(() => this.#unpacking.delete(name));
    this.#unpacking.set(name, work);
    return work;
  }

  async #unpack(name: string): Promise<UnpackedImage> {
    const image = await this.#lookUp(name);
    if (image === undefined) throw new NodeError("CreateContainerError", `image "${name}" is not there any more`);
    const folder = join(this.#options.folder, image.descriptor.digest.replace(":", "-"));
    const isThere = await stat(folder).then(
      () => true,
      () => false,
    );
    if (isThere) return { folder, config: image.config };
    await mkdir(this.#options.folder, { recursive: true, mode: 0o755 });
    const temporary = await mkdtemp(`${folder}.`);
    try {
      await this.#fill(temporary, image);
      await moveInto(temporary, folder);
    } catch (error) {
      // It will be tried again and again: halves must not gather.
      await rm(temporary, { recursive: true, force: true });
      throw error;
    }
    return { folder, config: image.config };
  }

  /** All layers together may hold as much as one. */
  async #fill(folder: string, { manifest, config }: StoredImage): Promise<void> {
    const { store, rights } = this.#options;
    await chmod(folder, 0o755);
    let maxBytes = largestImage;
    const { diff_ids: diffIds } = config.rootfs;
    if (diffIds.length !== manifest.layers.length)
      throw new OciError("BadImage", `it has ${manifest.layers.length} layers, but digests of ${diffIds.length}`);
    for (const [index, layer] of manifest.layers.entries()) {
      const { bytes } = await unpackLayer(store.read(layer.digest), compressionOf(layer.mediaType), folder, {
        owners: rights === "root" ? "keep" : "mine",
        whiteouts: "remove",
        maxBytes,
        diffId: diffIds[index],
      });
      maxBytes -= bytes;
    }
  }

  /** Images are known by their full name and by the name that pods use. */
  async #lookUp(name: string): Promise<StoredImage | undefined> {
    const { store } = this.#options;
    const descriptor = (await store.find(formatReference(parse(name)))) ?? (await store.find(name));
    return descriptor === undefined ? undefined : store.image(descriptor, platformOf(process));
  }
}

/** Somebody else may have unpacked the same image in the meantime: then theirs is as good. */
async function moveInto(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(from, { recursive: true, force: true });
  });
}

function parse(name: string): ReturnType<typeof parseReference> {
  try {
    return parseReference(name);
  } catch (cause) {
    const message = `Failed to apply default image tag "${name}": couldn't parse image name "${name}": ${whyBad(name)}`;
    throw new NodeError("InvalidImageName", message, { cause });
  }
}

/** In the words that every container runtime has for it. */
function whyBad(name: string): string {
  const [first = "", ...others] = (name.split("@")[0] ?? "").split("/");
  const hasRegistry = others.length > 0 && (/[.:]|^localhost$/.test(first) || first !== first.toLowerCase());
  const repository = hasRegistry ? others.join("/") : name;
  const isLower = repository === repository.toLowerCase();
  return `invalid reference format${isLower ? "" : `: repository name (${repository}) must be lowercase`}`;
}

function toRecord({ descriptor, manifest }: StoredImage): ImageRecord {
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, manifest.config.size);
  return { id: descriptor.digest, bytes };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof OciError || thrown instanceof Error ? thrown.message : String(thrown);
}
