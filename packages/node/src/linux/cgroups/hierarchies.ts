/** Finds out which trees of control groups a machine has and where this process is in them. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { NodeError } from "../../errors.ts";
import type { CgroupVersion } from "./limits.ts";

/** One tree, and the controllers that rule in it. */
export interface Hierarchy {
  readonly controllers: readonly string[];
  /** Where this process is in it. */
  readonly folder: string;
  /** Where it begins. */
  readonly root: string;
}

const needed = ["cpu", "cpuacct", "memory"];
/** Those that some machines do without. */
const welcome = ["pids"];

/** The trees below which groups can be made. */
export async function hierarchiesOf(
  mount: string,
): Promise<{ readonly version: CgroupVersion; readonly hierarchies: readonly Hierarchy[] }> {
  const offered = await readFile(join(mount, "cgroup.controllers"), "utf8").catch(() => undefined);
  if (offered !== undefined) return { version: 2, hierarchies: [unified(mount, offered)] };
  const own = parseOwn(await readFile("/proc/self/cgroup", "utf8").catch(() => ""));
  const trees = new Map<string, { readonly root: string; readonly controllers: string[] }>();
  for (const controller of [...needed, ...welcome]) {
    const root = await realpath(join(mount, controller)).catch(() => undefined);
    if (root === undefined && welcome.includes(controller)) continue;
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

/** With one tree for all, groups with processes have no groups below them: ours begin at the root. */
function unified(mount: string, offered: string): Hierarchy {
  const there = new Set(offered.trim().split(" "));
  const controllers = ["cpu", "memory", ...welcome.filter((name) => there.has(name))];
  const missing = controllers.filter((name) => !there.has(name));
  if (missing.length > 0)
    throw new NodeError("MachineUnfit", `the controllers ${missing.join(", ")} are not given to ${mount}`);
  return { controllers, folder: mount, root: mount };
}

/** `/proc/self/cgroup`: a line a tree, with its controllers and the path of this process in it. */
export function parseOwn(text: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, controllers = "", ...path] = line.split(":");
    for (const controller of controllers.split(",")) if (controller !== "") paths.set(controller, path.join(":"));
  }
  return paths;
}
