/**
 * The cgroups of a node: a tree below the cgroup of this process, with one group for each pod and each container. Best effort: some
 * machines have no cgroups.
 */
import { constants } from "node:fs";
import { access, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ResourceRequirements } from "@capstan/kinds/v1";
import type { BoundPod } from "../../pod/containers.ts";
import { qosClassOf } from "@capstan/model";
import type { Usage } from "../protocol.ts";
import { limitsOf, podLimitsOf, settingsOf, widest, type CgroupVersion, type Limits } from "./limits.ts";
import { removeTree } from "./remove.ts";
import { hierarchiesOf, type Hierarchy } from "./hierarchies.ts";
import { forest, sweep } from "./sweep.ts";

/** Options of the cgroup tree. */
export interface GroupsOptions {
  /** Where cgroups are mounted. Default: `/sys/fs/cgroup`. Only tests change it. */
  readonly mount?: string;
  /** Distinguishes this tree from those of other nodes on the machine; made by `treeName`. */
  readonly owner: string;
  /** How many processes all pods together may have. Default: unlimited. */
  readonly processes?: number | undefined;
}

/** The folder of a cgroup for one controller. */
export interface GroupFolder {
  readonly controller: string;
  readonly folder: string;
}

/** The cgroups of one node. */
export class Groups {
  readonly version: CgroupVersion;
  readonly #hierarchies: readonly Hierarchy[];
  readonly #pods = new Map<string, { readonly place: string; limits: Limits }>();

  private constructor(version: CgroupVersion, hierarchies: readonly Hierarchy[]) {
    this.version = version;
    this.#hierarchies = hierarchies;
  }

  /** Creates the tree. Rejects if this process lacks the permission. */
  static async open({ mount = "/sys/fs/cgroup", owner, processes }: GroupsOptions): Promise<Groups> {
    const { version, hierarchies } = await hierarchiesOf(mount);
    for (const hierarchy of hierarchies) {
      await access(hierarchy.folder, constants.W_OK);
      await sweep(hierarchy.root);
      await makeTree(hierarchy, version, owner);
    }
    const own = hierarchies.map((one) => ({ ...one, folder: join(one.folder, forest, owner) }));
    const counting = own.find(({ controllers }) => controllers.includes("pids"));
    if (counting !== undefined && processes !== undefined)
      await writeFile(join(counting.folder, "pids.max"), String(processes));
    return new Groups(version, own);
  }

  /** The root folders of the tree. */
  get roots(): readonly string[] {
    return this.#hierarchies.map(({ folder }) => folder);
  }

  /** Creates or updates the cgroup of a pod. */
  async setPod(pod: BoundPod): Promise<void> {
    const known = this.#pods.get(pod.metadata.uid);
    const limits = podLimitsOf(pod.spec);
    const place = known?.place ?? placeOf(pod);
    this.#pods.set(pod.metadata.uid, { place, limits });
    await this.#make(place);
    await this.#write(place, limits);
  }

  /** Creates the cgroup of a container that is about to start. */
  async addContainer(
    pod: BoundPod,
    id: string,
    resources: ResourceRequirements | undefined,
  ): Promise<readonly GroupFolder[]> {
    const place = this.#leaf(pod, id);
    await this.#make(place);
    await this.#write(place, limitsOf(resources));
    return this.#hierarchies.flatMap(({ controllers, folder }) =>
      (this.version === 2 ? [""] : controllers).map((controller) => ({ controller, folder: join(folder, place) })),
    );
  }

  /** Changes the limits of a running container. The pod's group allows the larger of old and new limits meanwhile. */
  async setContainer(pod: BoundPod, id: string, resources: ResourceRequirements): Promise<void> {
    const branch = this.#pods.get(pod.metadata.uid);
    if (branch === undefined) return;
    const wanted = podLimitsOf(pod.spec);
    await this.#write(branch.place, widest(branch.limits, wanted));
    await this.#write(this.#leaf(pod, id), limitsOf(resources));
    await this.#write(branch.place, wanted);
    branch.limits = wanted;
  }

  /** The usage of a container; `undefined` if it has no cgroup. */
  async usage(pod: BoundPod, id: string): Promise<Usage | undefined> {
    const place = this.#leaf(pod, id);
    const read = (controller: string, file: string): Promise<string> =>
      readFile(this.#file(place, controller, file), "utf8");
    try {
      if (this.version === 2) {
        const [cpu, used, memory] = await Promise.all([
          read("cpu", "cpu.stat"),
          read("memory", "memory.current"),
          read("memory", "memory.stat"),
        ]);
        return {
          cpuNanoseconds: field(cpu, "usage_usec") * 1000,
          memoryBytes: Number(used) - field(memory, "inactive_file"),
        };
      }
      const [cpu, used, memory] = await Promise.all([
        read("cpuacct", "cpuacct.usage"),
        read("memory", "memory.usage_in_bytes"),
        read("memory", "memory.stat"),
      ]);
      return { cpuNanoseconds: Number(cpu), memoryBytes: Number(used) - field(memory, "total_inactive_file") };
    } catch {
      return undefined;
    }
  }

  /** How often the kernel OOM-killed a process of a container. */
  async oomKills(pod: BoundPod, id: string): Promise<number> {
    const file = this.version === 2 ? "memory.events" : "memory.oom_control";
    const text = await readFile(this.#file(this.#leaf(pod, id), "memory", file), "utf8").catch(() => "");
    return field(text, "oom_kill");
  }

  async removeContainer(pod: BoundPod, id: string): Promise<void> {
    await this.#remove(this.#leaf(pod, id));
  }

  async removePod({ metadata: { uid } }: BoundPod): Promise<void> {
    const branch = this.#pods.get(uid);
    this.#pods.delete(uid);
    if (branch !== undefined) await this.#remove(branch.place);
  }

  /** Removes the tree; all its processes must have ended. The parent folder is removed with its last tree. */
  async close(): Promise<void> {
    await this.#remove("");
    for (const { folder } of this.#hierarchies) await rmdir(dirname(folder)).catch(() => {});
  }

  #leaf(pod: BoundPod, id: string): string {
    return join(this.#pods.get(pod.metadata.uid)?.place ?? placeOf(pod), id);
  }

  #file(place: string, controller: string, file: string): string {
    const found = this.#hierarchies.find(({ controllers }) => controllers.includes(controller));
    return join(found?.folder ?? "", place, file);
  }

  async #make(place: string): Promise<void> {
    for (const hierarchy of this.#hierarchies) await makeGroup(hierarchy, this.version, place.split("/"));
  }

  async #write(place: string, limits: Limits): Promise<void> {
    for (const { controller, file, value } of settingsOf(limits, this.version))
      await writeFile(this.#file(place, controller, file), value);
  }

  async #remove(place: string): Promise<void> {
    for (const { folder } of this.#hierarchies) await removeTree(join(folder, place));
  }
}

/** The names of the kubelet, which tools expect. */
function placeOf({ metadata, spec }: BoundPod): string {
  const quality = qosClassOf(spec).toLowerCase();
  return join("kubepods", quality === "guaranteed" ? "" : quality, `pod${metadata.uid}`);
}

const tries = 20;

/** Another process removes the parent folder when it removes the last tree, possibly at the same moment. */
async function makeTree(hierarchy: Hierarchy, version: CgroupVersion, owner: string): Promise<void> {
  for (let count = 1; ; count++) {
    try {
      return await makeGroup(hierarchy, version, [forest, owner]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || count === tries) throw error;
    }
  }
}

/** Creates a group and its parents; in v2 each parent must delegate its controllers before it can have child groups. */
async function makeGroup(
  { controllers, folder }: Hierarchy,
  version: CgroupVersion,
  steps: readonly string[],
): Promise<void> {
  let place = folder;
  for (const step of steps) {
    if (version === 2)
      await writeFile(join(place, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));
    place = join(place, step);
    await mkdir(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

function field(text: string, name: string): number {
  const found = new RegExp(String.raw`^${name} (\d+)`, "m").exec(text);
  return Number(found?.[1] ?? 0);
}
