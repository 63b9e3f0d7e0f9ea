/** The sandboxes of the pods of one node: namespaces, files, volumes and cgroups. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NodeError, toNodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { Sandbox, SandboxOrder, Volumes } from "../runtime/runtime.ts";
import { strayMark } from "../services/stray.ts";
import { forgetFlows } from "./forget-flows.ts";
import { measure } from "./measure.ts";
import { hostPortElements, sharedFolders } from "./network.ts";
import { pauses, Spaces, type PodSpaces, type SpacesOptions } from "./pod-spaces.ts";
import { hostnameOf, hostsFile, nodeHostsFile, resolvFile } from "./pod-files.ts";
import type { WriteFilesRequest } from "./protocol.ts";
import { partsFolder, placeVolumes, updateVolumes, type VolumeFolders, type VolumePlace } from "./volumes.ts";

/** The sandbox of one pod. */
export interface PodPlace {
  readonly pod: BoundPod;
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly folders: VolumeFolders;
  readonly spaces: PodSpaces;
}

/** The sandboxes of the pods of one node. */
export class PodPlaces {
  readonly #options: SpacesOptions;
  readonly #places = new Map<string, PodPlace>();
  readonly #leaving = new Set<string>();
  /** Sandboxes without a holder process, because it was killed. */
  readonly #lost = new Set<string>();
  /** The volumes of pods that lost their sandbox and have no new one yet, by their folders. */
  readonly #kept = new Map<string, VolumeFolders>();
  /** Volume updates in progress. */
  readonly #updates = new Map<string, Promise<void>>();
  readonly #spaces: Spaces;

  constructor(options: SpacesOptions) {
    this.#options = options;
    this.#spaces = new Spaces(options);
    this.#spaces.prepareSpare(pauses.atFirst);
  }

  /** A pod runs now: there is time to prepare the namespaces of the next one. */
  prepareNext(): void {
    this.#spaces.prepareSpare(pauses.afterStart);
  }

  /** The sandbox of a pod, unless it was lost: its pid may have been reused then. */
  get(sandbox: Sandbox): PodPlace | undefined {
    return this.#lost.has(sandbox.id) ? undefined : this.#places.get(sandbox.id);
  }

  all(): readonly PodPlace[] {
    return [...this.#places.values()];
  }

  async create(order: SandboxOrder): Promise<Sandbox> {
    const { pod, volumes, handler } = order;
    checkHandler(handler, this.#options.newId);
    checkUsers(pod, handler);
    const folder = this.#folderOf(pod);
    const kept = this.#kept.get(folder);
    // The mounts of a pod are removed if its sandbox could not be created: each retry would mount them again.
    const giveUp = async (thrown: unknown): Promise<never> => {
      if (kept === undefined) await this.#unmount({ pod, folder }).catch(() => {});
      throw thrown;
    };
    const folders = kept ?? (await placeVolumes(pod, volumes, this.#volumePlace(folder)).catch(giveUp));
    return this.#settle(order, { folder, folders }).catch(asSandboxFailure).catch(giveUp);
  }

  /** Completes the sandbox of a pod after its volumes are mounted. */
  async #settle({ pod, lost }: SandboxOrder, has: Pick<PodPlace, "folder" | "folders">): Promise<Sandbox> {
    const spaces = await this.#spaces.take(pod, (id) => {
      this.#lost.add(id);
      lost?.(id);
    });
    const sandbox = { id: spaces.id, ips: [spaces.ip] };
    try {
      await this.#writePodFiles(pod, has.folder, sandbox);
      await this.#options.parts.groups?.setPod(pod);
      await this.#spaces.dress(spaces, pod, this.#hostname(pod));
      await this.#setHostPorts("add", pod, spaces.ip);
    } catch (thrown) {
      await this.#spaces.remove(spaces).catch(() => {});
      this.#lost.delete(sandbox.id);
      throw thrown;
    }
    this.#places.set(sandbox.id, { pod, sandbox, ...has, spaces });
    this.#kept.delete(has.folder);
    return sandbox;
  }

  /** Removes a lost sandbox; its volumes are kept for the next one. */
  async leave(sandbox: Sandbox): Promise<void> {
    const place = this.#places.get(sandbox.id);
    if (place === undefined) return;
    await this.#updates.get(sandbox.id)?.catch(() => {});
    await this.#setHostPorts("delete", place.pod, sandbox.ips[0] ?? "");
    await this.#spaces.remove(place.spaces);
    this.#kept.set(place.folder, place.folders);
    this.#places.delete(sandbox.id);
    this.#lost.delete(sandbox.id);
  }

  async updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void> {
    const { id } = sandbox;
    await this.#updates.get(id)?.catch(() => {});
    const place = this.#places.get(id);
    if (place === undefined || this.#leaving.has(id)) return;
    const update = updateVolumes(place.pod, volumes, this.#volumePlace(place.folder));
    this.#updates.set(id, update);
    await update.finally(() => this.#updates.get(id) === update && this.#updates.delete(id));
  }

  /** The sizes of the emptyDir volumes of a pod, except those in memory. */
  async folderBytes(sandbox: Sandbox): Promise<ReadonlyMap<string, bigint>> {
    const { shim, insidePath } = this.#options.parts;
    const place = this.#places.get(sandbox.id);
    const folders = (place?.pod.spec.volumes ?? []).flatMap(({ name, emptyDir }): [string, readonly string[]][] =>
      emptyDir === undefined || emptyDir.medium === "Memory" || place === undefined
        ? []
        : [[name, [insidePath(join(place.folder, "volumes", name))]]],
    );
    return measure(shim, new Map(folders));
  }

  /** Removes a sandbox. On failure it can be retried, and the pod's address is not reused before it has succeeded. */
  async remove(sandbox: Sandbox): Promise<void> {
    const place = this.#places.get(sandbox.id);
    if (place === undefined) return;
    this.#leaving.add(sandbox.id);
    // An update in progress would recreate files after the removal.
    await this.#updates.get(sandbox.id)?.catch(() => {});
    await this.#setHostPorts("delete", place.pod, sandbox.ips[0] ?? "");
    await this.#clear(place);
    await this.#spaces.remove(place.spaces);
    this.#places.delete(sandbox.id);
    this.#leaving.delete(sandbox.id);
    this.#lost.delete(sandbox.id);
  }

  /** Removes the files of a pod that never got a sandbox, or had one in an earlier run. */
  async forget(pod: BoundPod): Promise<void> {
    const folder = this.#folderOf(pod);
    this.#kept.delete(folder);
    if (existsSync(folder) && !this.all().some((place) => place.folder === folder)) await this.#clear({ pod, folder });
  }

  async #clear({ pod, folder }: Pick<PodPlace, "pod" | "folder">): Promise<void> {
    const { shim, groups, insidePath } = this.#options.parts;
    await this.#unmount({ pod, folder });
    await groups?.removePod(pod);
    // Inside: another pod may hold a folder of this one, and replace it by a link to the machine's files during the removal.
    await shim.removeBelow(insidePath(dirname(folder)), basename(folder));
  }

  async #unmount(place: Pick<PodPlace, "pod" | "folder">): Promise<void> {
    const { shim, insidePath } = this.#options.parts;
    const mounts = await mountedIn(place);
    if (mounts.length > 0) await shim.run(["umount", "-l", ...mounts.map(insidePath)]);
  }

  /** Drops all sandboxes at once, as a power loss would; the files of pods stay on disk. */
  async abandon(): Promise<void> {
    const { shim, insidePath } = this.#options.parts;
    const places = this.all();
    this.#places.clear();
    for (const { sandbox } of places) this.#options.parts.exits.delete(sandbox.id);
    await Promise.all(places.map(({ sandbox }) => shim.signal(sandbox.id, "SIGKILL").catch(() => false)));
    await this.#spaces.close();
    const shared = places.flatMap(({ spaces }) => sharedFolders(spaces.folder));
    const mounts = [...(await Promise.all(places.map(mountedIn))).flat(), ...shared];
    if (mounts.length > 0) await shim.run(["umount", "-l", ...mounts.map(insidePath)]).catch(() => {});
    for (const { pod, sandbox } of places)
      await this.#setHostPorts("delete", pod, sandbox.ips[0] ?? "").catch(() => {});
  }

  async #writePodFiles(pod: BoundPod, folder: string, { ips }: Sandbox): Promise<void> {
    const { names, shim, insidePath } = this.#options.parts;
    const file = (name: string, text: string): WriteFilesRequest["files"][number] => ({
      path: join(insidePath(folder), name),
      text,
      mode: 0o644,
    });
    // Never read from the node's disk, because pods can write there.
    const hosts = file("hosts", hostsFile(pod, ips, { ...names, hosts: nodeHostsFile() }));
    const files = [hosts, file("resolv.conf", resolvFile(pod, names)), file("hostname", `${this.#hostname(pod)}\n`)];
    await shim.writeFilesAndFolders({ folders: [{ path: insidePath(folder) }], files });
  }

  #hostname(pod: BoundPod): string {
    return pod.spec.hostNetwork === true ? this.#options.node.name : hostnameOf(pod, this.#options.parts.names.domain);
  }

  async #setHostPorts(verb: "add" | "delete", pod: BoundPod, ip: string): Promise<void> {
    const ports = hostPortElements(pod, ip, this.#options.node.address);
    if (ports.length === 0) return;
    const { shim, report } = this.#options.parts;
    const marks = ports.flatMap(({ key, mark }) => (mark === undefined ? [] : [{ key, mark }]));
    const toElement = (key: string, value: string | number): string => (verb === "add" ? `${key} : ${value}` : key);
    const elements = (map: string, all: readonly string[]): readonly string[] =>
      all.length === 0 ? [] : [`${verb} element ip capstan-host-ports ${map} { ${all.join(", ")} }`];
    const lines = [
      ...elements(
        "ports",
        ports.map(({ key, value }) => toElement(key, value)),
      ),
      ...elements(
        "marks",
        marks.map(({ key, mark }) => toElement(key, mark)),
      ),
    ];
    const argv = ["nft", lines.join("; ")];
    if (verb === "add") await shim.must(argv);
    else await shim.run(argv);
    if (marks.length === 0) return;
    // A failure to delete conntrack entries is only reported: at worst, clients with an old entry reach the port late.
    const forgotten = forgetFlows(shim, verb === "add" ? [strayMark] : marks.map(({ mark }) => mark));
    await forgotten.catch(report);
  }

  #volumePlace(folder: string): VolumePlace {
    const { shim, state, insidePath, clock } = this.#options.parts;
    return {
      folder,
      disk: join(state, "disk"),
      makeFolder: (path) =>
        shim.writeFilesAndFolders({ folders: [{ path: insidePath(path), mode: 0o777 }], files: [] }),
      writeFiles: (path, { files, group }) =>
        shim.writeVolumeFiles({
          folder: insidePath(path),
          files: Array.from(files, ([name, { bytes, mode }]) => [name, { base64: toBase64(bytes), mode }] as const),
          stamp: `${clock.wall()}_${this.#options.newId("stamp").slice(0, 8)}`,
          group,
        }),
      mountMemory: async (path, bytes) => {
        const size = bytes === undefined ? [] : ["-o", `size=${bytes}`];
        await shim.must(["mount", "-t", "tmpfs", ...size, "-o", "mode=777", "tmpfs", insidePath(path)]);
      },
      bind: (what) => shim.bind({ ...what, root: insidePath(what.root), to: insidePath(what.to) }),
      give: (path, group) => shim.give(insidePath(path), group),
    };
  }

  #folderOf({ metadata }: BoundPod): string {
    return join(this.#options.parts.state, "pods", metadata.uid);
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function asSandboxFailure(thrown: unknown): never {
  const { message } = toNodeError(thrown, "FailedCreatePodSandBox");
  throw new NodeError("FailedCreatePodSandBox", message, { cause: thrown });
}

/** The handlers that a RuntimeClass may name. All of them run pods in the same way; Kubernetes tests use the last name. */
const handlers = new Set(["", "capstan", "runc", "test-handler"]);

function checkHandler(handler: string, newId: SpacesOptions["newId"]): void {
  if (handlers.has(handler)) return;
  const why = `unable to get OCI runtime for sandbox "${newId(handler)}": no runtime for "${handler}" is configured`;
  throw new NodeError("FailedCreatePodSandBox", `rpc error: code = Unknown desc = ${why}`);
}

/** A pod that asks for a user namespace must not run without one: decision 23 explains why it is not supported. */
function checkUsers({ spec }: BoundPod, handler: string): void {
  if (spec.hostUsers !== false) return;
  const who = handler === "" ? "runtime" : `RuntimeClass handler "${handler}"`;
  throw new NodeError(
    "FailedCreatePodSandBox",
    `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`,
  );
}

/** The mounts of a pod, subpaths before their volumes. */
async function mountedIn({ pod, folder }: Pick<PodPlace, "pod" | "folder">): Promise<readonly string[]> {
  const parts = await readdir(join(folder, partsFolder)).catch(() => []);
  const volumes = (pod.spec.volumes ?? []).filter(
    ({ emptyDir, hostPath, persistentVolumeClaim, ephemeral }) =>
      emptyDir?.medium === "Memory" || (hostPath ?? persistentVolumeClaim ?? ephemeral) !== undefined,
  );
  return [
    ...parts.map((name) => join(folder, partsFolder, name)),
    ...volumes.map(({ name }) => join(folder, "volumes", name)),
  ];
}
