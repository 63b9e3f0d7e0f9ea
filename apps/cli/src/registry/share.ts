/** Copies a locally built image to the store of the clusters of this machine. */
import { type Descriptor, isIndex, type Platform, type Store } from "@capstan/oci";

/** Copies the missing parts of an image for one platform to the other store and tags it there; returns whether the platform exists. */
export async function shareImage(
  { name, platform }: { readonly name: string; readonly platform: Platform },
  from: Store,
  to: Store,
): Promise<boolean> {
  const found = await from.find(name);
  const descriptor = found === undefined ? undefined : await forPlatform(found, platform, from);
  if (descriptor === undefined) return false;
  const { config, layers } = await from.readManifest(descriptor.digest);
  for (const blob of [...layers, config, descriptor])
    if (!(await to.has(blob.digest))) await to.write(from.read(blob.digest), blob);
  await to.tag(name, descriptor);
  return true;
}

async function forPlatform(
  descriptor: Descriptor,
  { os, architecture }: Platform,
  store: Store,
): Promise<Descriptor | undefined> {
  if (isIndex(descriptor.mediaType))
    return (await store.readIndex(descriptor.digest)).manifests.find(
      ({ platform }) => platform?.os === os && platform.architecture === architecture,
    );
  const { config } = await store.image(descriptor, { os, architecture }).catch(() => ({ config: undefined }));
  return config?.os === os && config.architecture === architecture ? descriptor : undefined;
}
