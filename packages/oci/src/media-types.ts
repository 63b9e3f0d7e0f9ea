/** The media types of images, OCI's and Docker's. */

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  layerGzip: "application/vnd.oci.image.layer.v1.tar+gzip",
  layerZstd: "application/vnd.oci.image.layer.v1.tar+zstd",
  dockerIndex: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerLayerGzip: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

export function isIndex(mediaType: string): boolean {
  return mediaType === mediaTypes.index || mediaType === mediaTypes.dockerIndex;
}

export function isManifest(mediaType: string): boolean {
  return mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest;
}

/** The compression of a layer. */
export type Compression = "none" | "gzip" | "zstd";

export function compressionOf(mediaType: string): Compression {
  if (mediaType.endsWith("gzip")) return "gzip";
  return mediaType.endsWith("zstd") ? "zstd" : "none";
}
