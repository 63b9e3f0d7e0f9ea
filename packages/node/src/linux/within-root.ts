/** Paths of a container relative to its root. Pure. */
import { posix } from "node:path";

/** Normalizes a path of a pod or an image: `..` never leads above the root, and slashes are not repeated. */
export function withinRoot(path: string): string {
  const normal = posix.normalize(`/${path}`);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
