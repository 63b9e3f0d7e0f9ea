/** The objects of bundles, read from their images and kept for the next reconciles. */
import type { Manifest } from "../csv/permissions.ts";
import type { ManagerSetting } from "../manager/setting.ts";

/** So many bundles stay in memory. */
const MOST = 32;

/** Reads a bundle. */
export type ReadObjects = (image: string) => Promise<readonly Manifest[]>;

/** A reader that remembers. An image that cannot be read is tried again the next time. */
export function bundleReader({ readBundle, namespace }: ManagerSetting): ReadObjects {
  const known = new Map<string, readonly Manifest[]>();
  return async (image) => {
    const objects = known.get(image) ?? (await readBundle(image, { namespace, secrets: [] }));
    known.delete(image);
    known.set(image, objects);
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return objects;
  };
}
