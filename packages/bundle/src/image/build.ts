/** A bundle as an image: its files, and labels that repeat its annotations, so that tools can identify it without unpacking. */
import { buildImage, type Descriptor, type LayerEntry, type Store } from "@capstan/oci";
import { BundleError } from "../errors.ts";
import type { BundleFiles } from "../read/files.ts";
import { readMetadata } from "../read/metadata.ts";

const folders = ["manifests", "metadata", "tests"] as const;

/** Builds the image into a store; the same bundle gives the same digest. */
export async function buildBundleImage(files: BundleFiles, store: Store): Promise<Descriptor> {
  const { annotations, inPlace } = readMetadata(files);
  if (!inPlace || annotations === undefined)
    throw new BundleError(
      "BadBundle",
      "the bundle has no metadata/annotations.yaml; generate it with capstan bundle generate",
    );
  const layers = folders.map((folder) => entriesBelow(files, folder)).filter((entries) => entries.length > 0);
  const platform = { os: "linux", architecture: "amd64" };
  return buildImage({ platform, layers, config: { Labels: annotations } }, store);
}

function entriesBelow(files: BundleFiles, folder: string): LayerEntry[] {
  return [...files]
    .filter(([path]) => path.startsWith(`${folder}/`))
    .map(([path, body]) => ({ path, type: "file" as const, mode: 0o644, body }));
}
