/** Where the clusters and images of this user are on disk, by the XDG base directory rules. */
import { join } from "node:path";
import { userImageFolder } from "@capstan/cluster";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** The parent of the cluster folders of this user. */
export function clustersFolder({ env }: Pick<Terminal, "env">): string {
  return join(env["XDG_STATE_HOME"] ?? join(home(env), ".local", "state"), "capstan", "clusters");
}

/** The store of images that all clusters of this user share. */
export function imagesFolder({ env }: Pick<Terminal, "env">): string {
  return userImageFolder(env) ?? noHome();
}

/** The folder of one cluster. */
export function clusterFolder(terminal: Pick<Terminal, "env">, name: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/.test(name)) return join(clustersFolder(terminal), name);
  throw new CliError(
    "Usage",
    `--name must be lower-case letters, digits and dashes, at most 32, not ${JSON.stringify(name)}`,
  );
}

function home(env: Terminal["env"]): string {
  const folder = env["HOME"] ?? "";
  return folder === "" ? noHome() : folder;
}

function noHome(): never {
  throw new CliError("Disk", "HOME is not set: set it, or XDG_STATE_HOME and XDG_DATA_HOME, to folders for clusters");
}
