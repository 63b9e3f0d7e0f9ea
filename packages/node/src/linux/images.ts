/** The images of a node: found by name, pulled if absent, unpacked once for all containers. */
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  compressionOf,
  formatReference,
  parseReference,
  platformOf,
  pullImage,
  unpackLayer,
  OciError,
  type Credentials,
  type ImageConfig,
  type Reference,
  type RegistrySession,
  type Store,
  type StoredImage,
} from "@capstan/oci";
import type { PullLogins } from "../agent/pull-secrets.ts";
import { NodeError } from "../errors.ts";
import type { ImageRecord } from "../runtime/runtime.ts";
import type { Rights } from "./shim-client.ts";
import { pullFailure } from "./pull-failure.ts";

/** Dependencies of the images of a node. */
export interface ImagesOptions {
  readonly store: Store;
  /** Where unpacked images are stored. */
  readonly folder: string;
  readonly rights: Rights;
  /** Opens a session with a registry; without it, images must already be in the store. */
  readonly session: ((registry: string) => Promise<RegistrySession>) | undefined;
}

/** An unpacked image. */
export interface UnpackedImage {
  readonly folder: string;
  readonly config: ImageConfig;
}

/** The maximum size of an unpacked image, in bytes. */
const largestImage = 16 * 2 ** 30;

/** The images of a node. */
export class Images {
  readonly #options: ImagesOptions;
  readonly #unpacking = new Map<string, Promise<UnpackedImage>>();

  constructor(options: ImagesOptions) {
    this.#options = options;
  }

  /** An image of another platform counts as absent: the pull then reports why. */
  async find(name: string): Promise<ImageRecord | undefined> {
    const found = await this.#lookUp(name);
    return found === undefined || otherPlatform(found) !== undefined ? undefined : toRecord(found);
  }

  async pull(name: string, logins: PullLogins): Promise<ImageRecord> {
    const reference = parse(name);
    const { session } = this.#options;
    if (session === undefined) {
      // Without a registry, the stored image is the newest one.
      const found = await this.#lookUp(name);
      if (found !== undefined) return toUsable(reference, found);
      throw new NodeError(
        "ErrImagePull",
        pullFailure(reference, new OciError("Unreachable", "no registry is configured")),
      );
    }
    await this.#pullAsSomebody(reference, await session(reference.registry), await logins(reference));
    const found = await this.#lookUp(name);
    if (found === undefined) throw new NodeError("ErrImagePull", `image "${name}" is not there after it was pulled`);
    return toUsable(reference, found);
  }

  /**
   * Tries the credentials of the pod one after the other, and finally those of this machine. The error lists the failures of the pod's
   * credentials.
   */
  async #pullAsSomebody(reference: Reference, session: RegistrySession, logins: readonly Credentials[]): Promise<void> {
    const { store } = this.#options;
    const platform = platformOf(process);
    const failures: { readonly message: string; readonly cause: unknown }[] = [];
    for (const own of [...logins.map((login) => session.withCredentials(async () => login)), session]) {
      try {
        await pullImage(reference, { store, session: own, platform });
        return;
      } catch (cause) {
        if (failures.length === 0 || own !== session) failures.push({ message: pullFailure(reference, cause), cause });
        // The registry did not check credentials, so others do not help.
        if (cause instanceof OciError && cause.code === "Unreachable") break;
      }
    }
    const messages = [...new Set(failures.map(({ message }) => message))];
    const told = messages.length === 1 ? messages.join("") : `[${messages.join(", ")}]`;
    throw new NodeError("ErrImagePull", told, { cause: failures[0]?.cause });
  }

  /** Unpacks an image: all layers into one folder. Concurrent calls for one image share the work. */
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
    await mkdir(this.#options.folder, { recursive: true });
    // Images contain setuid programs: no other user of this machine may reach them.
    await chmod(this.#options.folder, 0o700);
    await sweep(this.#options.folder);
    const temporary = await mkdtemp(`${folder}.${process.pid}-`);
    try {
      await this.#fill(temporary, image);
      await moveInto(temporary, folder);
    } catch (error) {
      // Pulls are retried: partial folders must not accumulate.
      await rm(temporary, { recursive: true, force: true });
      throw error;
    }
    return { folder, config: image.config };
  }

  /** The size limit applies to all layers together. */
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

  /** Images are stored by their full name and by the name that pods use. */
  async #lookUp(name: string): Promise<StoredImage | undefined> {
    const { store } = this.#options;
    const descriptor = (await store.find(formatReference(parse(name)))) ?? (await store.find(name));
    return descriptor === undefined ? undefined : store.image(descriptor, platformOf(process));
  }
}

/** Another process may have unpacked the same image in the meantime; its folder is used then. */
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

/** Why a name is invalid, in the words of container runtimes. */
function whyBad(name: string): string {
  const [first = "", ...others] = (name.split("@")[0] ?? "").split("/");
  const hasRegistry = others.length > 0 && (/[.:]|^localhost$/.test(first) || first !== first.toLowerCase());
  const [repository = ""] = (hasRegistry ? others.join("/") : name).split(":");
  const isLower = repository === repository.toLowerCase();
  return `invalid reference format${isLower ? "" : `: repository name (${repository}) must be lowercase`}`;
}

function toUsable(reference: Reference, image: StoredImage): ImageRecord {
  const other = otherPlatform(image);
  if (other === undefined) return toRecord(image);
  const cause = new OciError("NoPlatform", `${image.descriptor.digest} is for ${other}`);
  throw new NodeError("ErrImagePull", pullFailure(reference, cause), { cause });
}

/** The platform of an image that this machine cannot run. `store.image` selects from an index by platform; a config may have none. */
function otherPlatform({ descriptor, config }: StoredImage): string | undefined {
  if (descriptor.platform !== undefined) return undefined;
  const { os, architecture } = platformOf(process);
  const fits = [os, ""].includes(config.os ?? "") && [architecture, ""].includes(config.architecture ?? "");
  return fits ? undefined : `${config.os}/${config.architecture}`;
}

function toRecord({ descriptor, manifest }: StoredImage): ImageRecord {
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, manifest.config.size);
  return { id: descriptor.digest, bytes };
}

/** Deletes partial folders of processes that were killed while they unpacked. A folder has the pid in its name. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /\.(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
