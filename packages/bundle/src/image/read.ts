/** The files of a bundle out of its image. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compressionOf, type Descriptor, type Store, unpackLayer } from "@capstan/oci";
import { BundleError } from "../errors.ts";
import { type BundleFiles, readFolder } from "../read/files.ts";
import { labels } from "../read/metadata.ts";

/** The limits of a bundle's layers; larger layers are rejected. */
const limits = { maxBytes: 64 * 2 ** 20, maxEntries: 4_000 } as const;

/** Reads an image of the store. What the layers say is done in a folder that is gone afterwards. */
export async function readBundleImage(descriptor: Descriptor, store: Store): Promise<BundleFiles> {
  const { manifest, config } = await store.image(descriptor, { os: "linux", architecture: "amd64" });
  const folder = await mkdtemp(join(tmpdir(), "capstan-bundle-"));
  try {
    for (const layer of manifest.layers)
      await unpackLayer(store.read(layer.digest), compressionOf(layer.mediaType), folder, {
        owners: "mine",
        whiteouts: "remove",
        ...limits,
      });
    const files = await readFolder(folder);
    const isBundle =
      [...files.keys()].some((path) => path.startsWith("manifests/")) || config.config?.Labels?.[labels.mediaType];
    if (!isBundle)
      throw new BundleError(
        "BadBundle",
        "the image holds no bundle: it has neither a folder manifests/ nor a bundle's labels",
      );
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
