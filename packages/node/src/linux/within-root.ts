/** Paths of a container as they are seen from its root. Pure. */
import { posix } from "node:path";

/** A path that a pod or an image names: whatever steps back it takes, it stays below the root, and no folder is named twice over. */
export function withinRoot(path: string): string {
  const normal = posix.normalize(`/${path}`);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
