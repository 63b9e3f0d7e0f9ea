/** Finds the cgroup hierarchies of a machine and the position of this process in them. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { NodeError } from "../../errors.ts";
import type { CgroupVersion } from "./limits.ts";

/** One hierarchy and its controllers. */
export interface Hierarchy {
  readonly controllers: readonly string[];
  /** The cgroup folder of this process. */
  readonly folder: string;
  /** The root folder of the hierarchy. */
  readonly root: string;
}

const needed = ["cpu", "cpuacct", "memory"];
/** Controllers that are optional. */
const accept = ["pids"];

/** The hierarchies below which groups can be created. */
export async function hierarchiesOf(
  mount: string,
): Promise<{ readonly version: CgroupVersion; readonly hierarchies: readonly Hierarchy[] }> {
  const offered = await readFile(join(mount, "cgroup.controllers"), "utf8").catch(() => undefined);
  if (offered !== undefined) return { version: 2, hierarchies: [unified(mount, offered)] };
  const own = parseOwn(await readFile("/proc/self/cgroup", "utf8").catch(() => ""));
  const trees = new Map<string, { readonly root: string; readonly controllers: string[] }>();
  for (const controller of [...needed, ...accept]) {
    const root = await realpath(join(mount, controller)).catch(() => undefined);
    if (root === undefined && accept.includes(controller)) continue;
    if (root === undefined) throw new NodeError("MachineUnfit", `there is no controller ${controller} in ${mount}`);
    const folder = join(root, own.get(controller) ?? "/");
    const isSeen = await stat(folder).then(
      () => true,
      () => false,
    );
    const place = isSeen ? folder : root;
    trees.set(place, { root, controllers: [...(trees.get(place)?.controllers ?? []), controller] });
  }
  return { version: 1, hierarchies: [...trees].map(([folder, tree]) => ({ folder, ...tree })) };
}

/** In v2 a group with processes cannot have child groups with controllers: ours begin at the root. */
function unified(mount: string, offered: string): Hierarchy {
  const there = new Set(offered.trim().split(" "));
  const controllers = ["cpu", "memory", ...accept.filter((name) => there.has(name))];
  const missing = controllers.filter((name) => !there.has(name));
  if (missing.length > 0)
    throw new NodeError("MachineUnfit", `the controllers ${missing.join(", ")} are not given to ${mount}`);
  return { controllers, folder: mount, root: mount };
}

/** `/proc/self/cgroup`: one line for each hierarchy, with its controllers and the path of this process. */
export function parseOwn(text: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, controllers = "", ...path] = line.split(":");
    for (const controller of controllers.split(",")) if (controller !== "") paths.set(controller, path.join(":"));
  }
  return paths;
}
