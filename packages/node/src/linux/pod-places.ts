/** The places in which pods run on one node: namespaces held by a process, a line to the node, files, volumes, a group for limits. */
import { chmod, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NodeError, toNodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { Sandbox, SandboxOrder, Volumes } from "../runtime/runtime.ts";
import { addressesIn } from "../simulated/addresses.ts";
import type { MachineParts } from "./machine.ts";
import { measure } from "./measure.ts";
import { hostPortElements, nodeSide, podScript } from "./network.ts";
import { quoted } from "./quoted.ts";
import { makeOpenFolder } from "./open-folder.ts";
import { hostnameOf, hostsFile, nodeHostsFile, resolvFile } from "./pod-files.ts";
import type { LinuxNode } from "./runtime.ts";
import { seenProcesses } from "./seen-processes.ts";
import { partsFolder, placeVolumes, updateVolumes, type VolumeFolders, type VolumePlace } from "./volumes.ts";

/** Where one pod runs. */
export interface PodPlace {
  readonly pod: BoundPod;
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly folders: VolumeFolders;
  /** The process that holds the pod's namespaces. */
  readonly holder: number;
  /** The node's end of the pod's line; pods in the node's network have none. */
  readonly device: string | undefined;
}

/** What places need of their node. */
export interface PlacesOptions {
  readonly parts: MachineParts;
  readonly node: LinuxNode;
  readonly newId: (seed: string) => string;
}

/** The places of the pods of one node. */
export class PodPlaces {
  readonly #options: PlacesOptions;
  readonly #places = new Map<string, PodPlace>();
  readonly #leaving = new Set<string>();
  readonly #addresses: ReturnType<typeof addressesIn>;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#addresses = addressesIn(options.node.podCidr);
  }

  get(sandbox: Sandbox): PodPlace | undefined {
    return this.#places.get(sandbox.id);
  }

  all(): readonly PodPlace[] {
    return [...this.#places.values()];
  }

  async create({ pod, volumes, handler }: SandboxOrder): Promise<Sandbox> {
    const { parts, node, newId } = this.#options;
    checkHandler(handler, newId);
    checkUsers(pod, handler);
    const folder = this.#folderOf(pod);
    await makeOpenFolder(folder);
    const folders = await placeVolumes(pod, volumes, this.#volumePlace(folder));
    const onNode = pod.spec.hostNetwork === true;
    const ip = onNode ? node.address : this.#addresses.take();
    const sandbox = { id: newId(pod.metadata.uid), ips: [ip] };
    try {
      await this.#writePodFiles(pod, folder, sandbox);
      await parts.groups?.setPod(pod);
      const holder = await this.#hold(pod, sandbox);
      const device = await this.#prepare(pod, { folder, sandbox, holder });
      await this.#setHostPorts("add", pod, ip);
      this.#places.set(sandbox.id, { pod, sandbox, folder, folders, holder, device });
      return sandbox;
    } catch (thrown) {
      if (!onNode) this.#addresses.giveBack(ip);
      await parts.keeper.signal(sandbox.id, "SIGKILL").catch(() => false);
      const { message } = toNodeError(thrown, "FailedCreatePodSandBox");
      throw new NodeError("FailedCreatePodSandBox", message, { cause: thrown });
    }
  }

  async updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void> {
    const place = this.#places.get(sandbox.id);
    if (place !== undefined && !this.#leaving.has(sandbox.id))
      await updateVolumes(place.pod, volumes, this.#volumePlace(place.folder));
  }

  /** What the folders of a pod take that go with it. */
  async folderBytes(sandbox: Sandbox): Promise<ReadonlyMap<string, bigint>> {
    const { keeper, insidePath } = this.#options.parts;
    const place = this.#places.get(sandbox.id);
    const folders = (place?.pod.spec.volumes ?? []).flatMap(({ name, emptyDir }): [string, readonly string[]][] =>
      emptyDir === undefined || emptyDir.medium === "Memory" || place === undefined
        ? []
        : [[name, [insidePath(join(place.folder, "volumes", name))]]],
    );
    return measure(keeper, new Map(folders));
  }

  /** Removes a place; when that fails it can be tried again, and nobody else gets the pod's address before it has worked. */
  async remove(sandbox: Sandbox): Promise<void> {
    const place = this.#places.get(sandbox.id);
    if (place === undefined) return;
    const { keeper, groups, insidePath } = this.#options.parts;
    this.#leaving.add(sandbox.id);
    await keeper.signal(sandbox.id, "SIGKILL");
    await this.#setHostPorts("delete", place.pod, sandbox.ips[0] ?? "");
    const mounts = (await mountedIn(place)).map((path) => quoted(insidePath(path)));
    const unplug = place.device === undefined ? "" : `ip link del ${place.device}\n`;
    await keeper.run(["sh"], `${unplug}umount -l ${mounts.join(" ")} 2>/dev/null\n`);
    await groups?.removePod(place.pod);
    // Inside: another pod may hold a folder of this one, and put a link to the machine's files in the place of what is being removed.
    await keeper.removeBelow(insidePath(dirname(place.folder)), basename(place.folder));
    this.#places.delete(sandbox.id);
    this.#leaving.delete(sandbox.id);
    if (place.device !== undefined) for (const ip of sandbox.ips) this.#addresses.giveBack(ip);
  }

  /** Gives up all places at once, as a loss of power would; what pods have on disk stays. */
  async abandon(): Promise<void> {
    const { keeper, insidePath } = this.#options.parts;
    const places = this.all();
    this.#places.clear();
    await Promise.all(places.map(({ sandbox }) => keeper.signal(sandbox.id, "SIGKILL").catch(() => false)));
    const mounts = (await Promise.all(places.map(mountedIn))).flat();
    if (mounts.length > 0) await keeper.run(["umount", "-l", ...mounts.map(insidePath)]).catch(() => {});
    for (const { pod, sandbox } of places)
      await this.#setHostPorts("delete", pod, sandbox.ips[0] ?? "").catch(() => {});
  }

  async #writePodFiles(pod: BoundPod, folder: string, { ips }: Sandbox): Promise<void> {
    const { names } = this.#options.parts;
    // Never read from the node's disk: pods can write there.
    await writeFile(join(folder, "hosts"), hostsFile(pod, ips, { ...names, hosts: nodeHostsFile() }));
    await writeFile(join(folder, "resolv.conf"), resolvFile(pod, names));
    await writeFile(join(folder, "hostname"), `${this.#hostname(pod)}\n`);
    for (const name of ["hosts", "resolv.conf", "hostname"]) await chmod(join(folder, name), 0o644);
    for (const name of ["sys", "shm"]) await makeOpenFolder(join(folder, name));
  }

  #hostname(pod: BoundPod): string {
    return pod.spec.hostNetwork === true ? this.#options.node.name : hostnameOf(pod, this.#options.parts.names.domain);
  }

  /** Starts the process that holds the namespaces of the pod while its containers come and go. */
  async #hold(pod: BoundPod, { id }: Sandbox): Promise<number> {
    const { hostNetwork, hostIPC } = pod.spec;
    const isShared = seenProcesses(pod, this.#options.parts.rights) === "of the pod";
    const spaces = [
      "--uts",
      ...(hostNetwork === true ? [] : ["--net"]),
      ...(hostIPC === true ? [] : ["--ipc"]),
      ...(isShared ? ["--pid", "--fork", "--kill-child"] : []),
    ];
    // The first process of a pod's namespace waits for the orphans in it. Outside of it, its number is another: /proc still shows that one.
    const rest = isShared ? "while :; do sleep 1000 & wait; done" : "exec sleep infinity";
    const script = `hostname "$0"; read -r pid rest < /proc/self/stat; echo "{\\"child-pid\\": $pid }" >&3; exec 3>&-; ${rest}`;
    const { pid } = await this.#options.parts.keeper.start({
      id,
      argv: ["unshare", ...spaces, "sh", "-c", script, this.#hostname(pod)],
      log: "/dev/null",
      stdin: false,
      tellsPid: true,
    });
    return pid;
  }

  /** Gives the pod its line, its kernel settings and the file systems that its containers share. */
  async #prepare(
    pod: BoundPod,
    { folder, sandbox, holder }: Pick<PodPlace, "folder" | "sandbox" | "holder">,
  ): Promise<string | undefined> {
    const { node, parts } = this.#options;
    const [ip = ""] = sandbox.ips;
    const onNode = pod.spec.hostNetwork === true;
    const line = onNode ? undefined : { device: `v${sandbox.id.slice(0, 12)}`, ip, gateway: node.address, holder };
    const inner = podScript({
      line,
      sysctls: pod.spec.securityContext?.sysctls ?? [],
      folder: parts.insidePath(folder),
    });
    const outer = line === undefined ? "" : `ip -batch - <<'line'\n${nodeSide(line)}line\n`;
    // As one word: what a pod asks for may have any lines.
    const enter = `nsenter -t ${holder} -n -i -u sh -e -c ${quoted(inner)}\n`;
    await parts.keeper.must(["sh", "-e"], outer + enter);
    return line?.device;
  }

  async #setHostPorts(verb: "add" | "delete", pod: BoundPod, ip: string): Promise<void> {
    const elements = hostPortElements(pod, ip, this.#options.node.address).map(({ key, value }) =>
      verb === "add" ? `${key} : ${value}` : key,
    );
    if (elements.length === 0) return;
    const argv = ["nft", `${verb} element ip capstan-host-ports ports { ${elements.join(", ")} }`];
    if (verb === "delete") return void (await this.#options.parts.keeper.run(argv));
    await this.#options.parts.keeper.must(argv);
  }

  #volumePlace(folder: string): VolumePlace {
    const { keeper, state, insidePath, clock } = this.#options.parts;
    return {
      folder,
      disk: join(state, "disk"),
      stamp: `${clock.wall()}_${this.#options.newId("stamp").slice(0, 8)}`,
      mountMemory: async (path, bytes) => {
        const size = bytes === undefined ? [] : ["-o", `size=${bytes}`];
        await keeper.must(["mount", "-t", "tmpfs", ...size, "-o", "mode=777", "tmpfs", insidePath(path)]);
      },
      bind: (what) => keeper.bind({ ...what, root: insidePath(what.root), to: insidePath(what.to) }),
      give: (path, group) => keeper.give(insidePath(path), group),
    };
  }

  #folderOf({ metadata }: BoundPod): string {
    return join(this.#options.parts.state, "pods", metadata.uid);
  }
}

/** The handlers that a RuntimeClass may name: there is one way to run pods here, and tests of Kubernetes call it by the last name. */
const handlers = new Set(["", "capstan", "runc", "test-handler"]);

function checkHandler(handler: string, newId: PlacesOptions["newId"]): void {
  if (handlers.has(handler)) return;
  const why = `unable to get OCI runtime for sandbox "${newId(handler)}": no runtime for "${handler}" is configured`;
  throw new NodeError("FailedCreatePodSandBox", `rpc error: code = Unknown desc = ${why}`);
}

/** A pod that asks for users of its own must not run with those of others: decision 23 says why there are none. */
function checkUsers({ spec }: BoundPod, handler: string): void {
  if (spec.hostUsers !== false) return;
  const who = handler === "" ? "runtime" : `RuntimeClass handler "${handler}"`;
  throw new NodeError(
    "FailedCreatePodSandBox",
    `can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`,
  );
}

/** What is mounted for a pod, parts of volumes before the volumes. */
async function mountedIn({ pod, folder }: PodPlace): Promise<readonly string[]> {
  const parts = await readdir(join(folder, partsFolder)).catch(() => []);
  const volumes = (pod.spec.volumes ?? []).filter(
    ({ emptyDir, hostPath, persistentVolumeClaim, ephemeral }) =>
      emptyDir?.medium === "Memory" || (hostPath ?? persistentVolumeClaim ?? ephemeral) !== undefined,
  );
  return [
    ...parts.map((name) => join(folder, partsFolder, name)),
    ...volumes.map(({ name }) => join(folder, "volumes", name)),
    join(folder, "sys"),
    join(folder, "shm"),
  ];
}
