/** Puts an image that was built beside a project where the clusters of this machine look for images. */
import { type Descriptor, isIndex, type Platform, type Store } from "@capstan/oci";

/** Copies an image for one platform, as far as the other store lacks it, and names it there; answers whether there is one for the platform. */
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
