/** Reads the platforms of images from their registries. It fetches manifests only. */
import type { ImagePlatform } from "@capstan/bundle";
import { type ImageConfig, type Index, type Manifest, parseReference } from "@capstan/oci";
import type { Transfer } from "../registry/images.ts";
import { openSession } from "../registry/session.ts";

const accept = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** The platforms of each image, or why they are unknown. */
export async function platformsOf(
  images: readonly string[],
  transfer: Transfer,
): Promise<ReadonlyMap<string, readonly ImagePlatform[] | { readonly problem: string }>> {
  const found = await Promise.all(
    images.map(async (image) => {
      const platforms = await look(image, transfer).catch((error: unknown) => ({ problem: (error as Error).message }));
      return [image, platforms] as const;
    }),
  );
  return new Map(found);
}

async function look(image: string, transfer: Transfer): Promise<readonly ImagePlatform[]> {
  const reference = parseReference(image);
  const session = await openSession(reference, transfer);
  const name = reference.digest ?? reference.tag ?? "latest";
  const read = async <T>(path: string): Promise<T> =>
    (await (
      await session.ask(`/v2/${reference.repository}/${path}`, { method: "GET", headers: { accept } })
    ).json()) as T;
  const manifest = await read<Index | Manifest>(`manifests/${name}`);
  if ("manifests" in manifest)
    return manifest.manifests.flatMap(({ platform }) => (platform === undefined ? [] : [platform]));
  const { os, architecture } = await read<ImageConfig>(`blobs/${manifest.config.digest}`);
  return [{ os, architecture }];
}
