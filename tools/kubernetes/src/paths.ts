/** The folders outside the checkout: build results (cache) and running clusters (state). */

import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of everything built, one folder a version. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "capstan", "kubernetes");
}

/** The folder of the clusters, one folder a cluster. */
export function clustersFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "capstan", "kubernetes");
}
