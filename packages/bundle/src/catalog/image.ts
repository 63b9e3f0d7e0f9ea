/** A catalog as an image: its files under /configs, and the label that tells where they are. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  buildImage,
  compressionOf,
  type Descriptor,
  folderEntries,
  resolveInside,
  type Store,
  unpackLayer,
} from "@capstan/oci";
import { CatalogError } from "./errors.ts";
import { type CatalogContent, openContentFolder } from "./content.ts";

/** The label of a catalog's image. */
export const catalogLabel = "operators.operatorframework.io.index.configs.v1";

const limits = { maxBytes: 4 * 2 ** 30, maxEntries: 200_000 } as const;
const platform = { os: "linux", architecture: "amd64" } as const;

/** Builds the image into a store; the same folder gives the same digest. It needs no program: OLM and catalogd read the files. */
export async function buildCatalogImage(folder: string, store: Store): Promise<Descriptor> {
  const entries = await folderEntries(folder, { at: "configs" });
  return buildImage({ platform, layers: [entries], config: { Labels: { [catalogLabel]: "/configs" } } }, store);
}

/** The content of a catalog's image. */
export async function openContentImage(descriptor: Descriptor, store: Store): Promise<CatalogContent> {
  const { manifest, config } = await store.image(descriptor, platform);
  const at = config.config?.Labels?.[catalogLabel];
  if (at === undefined)
    throw new CatalogError("BadReference", `the image is no catalog: it has no label ${catalogLabel}`);
  const folder = await mkdtemp(join(tmpdir(), "capstan-catalog-image-"));
  try {
    for (const layer of manifest.layers)
      await unpackLayer(store.read(layer.digest), compressionOf(layer.mediaType), folder, {
        owners: "mine",
        whiteouts: "remove",
        ...limits,
      });
    const parts = at.split("/").filter((part) => part !== "" && part !== ".");
    // The last part is the one that the function leaves alone.
    const configs = dirname(await resolveInside(folder, [...parts, "any"]));
    await stat(configs).catch((cause: unknown) => {
      throw new CatalogError("BadReference", `the image has no folder ${at}, which its label ${catalogLabel} names`, {
        cause,
      });
    });
    return await openContentFolder(configs, { confined: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
