/** Builds images from layers and a configuration, for one platform or several. */
import { OciError } from "../errors.ts";
import type { Descriptor, ImageConfig, Index, Manifest, Platform } from "../image.ts";
import { mediaTypes } from "../media-types.ts";
import type { Store } from "../store/store.ts";
import { type LayerEntry, packLayer } from "./layer.ts";

/** The parts of an image. */
export interface ImageRecipe {
  readonly platform: Platform;
  /** The base image, in the same store. */
  readonly from?: Descriptor;
  /** Each list becomes a layer; put what changes most last. */
  readonly layers: readonly (readonly LayerEntry[])[];
  /** Replaces the fields of the base image's configuration; labels and environment are merged. */
  readonly config?: NonNullable<ImageConfig["config"]>;
  readonly annotations?: { readonly [key: string]: string };
  /** Default: 1970, so that the same recipe gives the same image. */
  readonly created?: string;
}

/** Builds an image into the store; the same recipe gives the same digest. */
export async function buildImage(recipe: ImageRecipe, store: Store): Promise<Descriptor> {
  const base = recipe.from === undefined ? undefined : await store.image(recipe.from, recipe.platform);
  const layers: Descriptor[] = [...(base?.manifest.layers ?? [])];
  const diffIds: string[] = [...(base?.config.rootfs.diff_ids ?? [])];
  for (const entries of recipe.layers) {
    const { bytes, digest, diffId, mediaType } = packLayer(entries);
    if (!(await store.has(digest))) await store.write([bytes], { digest });
    layers.push({ mediaType, digest, size: bytes.length });
    diffIds.push(diffId);
  }
  if (layers.length === 0)
    throw new OciError("BadImage", "an image needs at least one layer, from the base image or added");
  const config = configOf(recipe, base?.config, diffIds);
  const manifest: Manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType: mediaTypes.config, ...(await store.writeJson(config)) },
    layers,
    ...(recipe.annotations === undefined ? {} : { annotations: recipe.annotations }),
  };
  return { mediaType: mediaTypes.manifest, ...(await store.writeJson(manifest)), platform: recipe.platform };
}

function configOf(
  { platform, config = {}, created = "1970-01-01T00:00:00Z" }: ImageRecipe,
  base: ImageConfig | undefined,
  diffIds: readonly string[],
): ImageConfig {
  const below = base?.config ?? {};
  const environment = new Map(
    [...(below.Env ?? []), ...(config.Env ?? [])].map((one) => [one.slice(0, one.indexOf("=")), one]),
  );
  const labels = { ...below.Labels, ...config.Labels };
  return {
    architecture: platform.architecture,
    os: platform.os,
    ...(platform.variant === undefined ? {} : { variant: platform.variant }),
    created,
    config: {
      ...below,
      ...config,
      ...(environment.size > 0 ? { Env: [...environment.values()] } : {}),
      ...(Object.keys(labels).length > 0 ? { Labels: labels } : {}),
    },
    rootfs: { type: "layers", diff_ids: diffIds },
    history: diffIds.map(() => ({ created })),
  };
}

/** One name for the images of several platforms. */
export async function buildIndex(images: readonly Descriptor[], store: Store): Promise<Descriptor> {
  const index: Index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: images };
  return { mediaType: mediaTypes.index, ...(await store.writeJson(index)) };
}
