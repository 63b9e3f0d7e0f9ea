/** Puts an image where the embedded clusters of this machine find it. */
import { openStore, platformOf, type Store } from "@capstan/oci";
import { shareImage } from "../registry/share.ts";
import type { Terminal } from "../terminal.ts";

/** Whether the clusters know the image now: they do not if it is for another platform, or if this machine has no folder for images. */
export async function shareWithClusters(name: string, store: Store, { env }: Terminal): Promise<boolean> {
  const { userImageFolder } = await import("@capstan/cluster");
  const folder = userImageFolder(env);
  return folder !== undefined && shareImage({ name, platform: platformOf(process) }, store, await openStore(folder));
}
