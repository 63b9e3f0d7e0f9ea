/** Runs containers on Linux: sandboxes with a network of their own, programs in bubblewrap over the files of their image. */
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Socket } from "node:net";
import { platformOf } from "@capstan/oci";
import { NodeError, toNodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type {
  CheckResult,
  ContainerOrder,
  Doors,
  Exit,
  ImageRecord,
  NetworkCheck,
  NodeFacts,
  Runtime,
  Sandbox,
  SandboxOrder,
  Started,
  Volumes,
} from "../runtime/runtime.ts";
import { addressesIn } from "../simulated/addresses.ts";
import { checkNetwork, dial } from "./checks.ts";
import { planContainer, type PlannedContainer } from "./container-plan.ts";
import { toExit } from "./exit.ts";
import { enterCommand } from "./launch.ts";
import type { MachineParts } from "./machine.ts";
import { hostPortElements, nodeSide, podSide, quoted } from "./network.ts";
import { hostnameOf, hostsFile, resolvFile } from "./pod-files.ts";
import { runInside, type InsideResult } from "./inside.ts";
import { placeVolumes, updateVolumes, type VolumeFolders, type VolumePlace } from "./volumes.ts";

/** One node of a machine. */
export interface LinuxNode {
  readonly name: string;
  /** The node's own address. */
  readonly address: string;
  /** Where the addresses of its pods come from. */
  readonly podCidr: string;
  readonly capacity?: { readonly [resource: string]: string };
}

interface PodPlace {
  readonly pod: BoundPod;
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly folders: VolumeFolders;
  /** The process that holds the pod's namespaces. */
  readonly holder: number;
  readonly device: string | undefined;
}

/** A container that was started. */
export interface LinuxContainer extends PlannedContainer {
  readonly id: string;
  readonly pid: number;
  readonly order: ContainerOrder;
}

/** The runtime of one node. */
export class LinuxRuntime implements Runtime, Doors {
  readonly runsPrograms = true;
  readonly doors: Doors = this;
  readonly node: LinuxNode;
  readonly #parts: MachineParts;
  readonly #pods = new Map<string, PodPlace>();
  readonly #containers = new Map<string, LinuxContainer>();
  readonly #addresses: ReturnType<typeof addressesIn>;
  #serial = 0;

  constructor(parts: MachineParts, node: LinuxNode) {
    this.#parts = parts;
    this.node = node;
    this.#addresses = addressesIn(node.podCidr);
  }

  async facts(): Promise<NodeFacts> {
    const { address, capacity = {} } = this.node;
    const memory = `${Math.floor(totalmem() / 1024)}Ki`;
    return {
      addresses: [{ type: "InternalIP", address }],
      capacity: { cpu: String(cpus().length), memory, pods: "110", "ephemeral-storage": "100Gi", ...capacity },
      nodeInfo: {
        operatingSystem: "linux",
        architecture: platformOf(process).architecture,
        kernelVersion: release(),
        osImage: "Capstan",
        containerRuntimeVersion: "capstan://0.1.0",
      },
    };
  }

  findImage(image: string): Promise<ImageRecord | undefined> {
    return this.#parts.images.find(image);
  }

  pullImage(image: string): Promise<ImageRecord> {
    return this.#parts.images.pull(image);
  }

  async createSandbox({ pod, volumes }: SandboxOrder): Promise<Sandbox> {
    const folder = this.#podFolder(pod);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const folders = await placeVolumes(pod, volumes, this.#volumePlace(folder));
    const onNode = pod.spec.hostNetwork === true;
    const ip = onNode ? this.node.address : this.#addresses.take();
    const sandbox = { id: this.#newId(pod.metadata.uid), ips: [ip] };
    try {
      await this.#writePodFiles(pod, folder, sandbox);
      const holder = await this.#hold(pod, sandbox);
      const device = onNode ? undefined : await this.#connect(sandbox, ip, holder);
      await this.#setHostPorts("add", pod, ip);
      this.#pods.set(sandbox.id, { pod, sandbox, folder, folders, holder, device });
      return sandbox;
    } catch (thrown) {
      if (!onNode) this.#addresses.giveBack(ip);
      throw toNodeError(thrown, "FailedCreatePodSandBox");
    }
  }

  async updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void> {
    const place = this.#pods.get(sandbox.id);
    if (place !== undefined) await updateVolumes(place.pod, volumes, this.#volumePlace(place.folder));
  }

  async removeSandbox(sandbox: Sandbox): Promise<void> {
    const place = this.#pods.get(sandbox.id);
    if (place === undefined) return;
    const { keeper, insidePath } = this.#parts;
    this.#pods.delete(sandbox.id);
    await keeper.signal(sandbox.id, "SIGKILL");
    await this.#setHostPorts("delete", place.pod, sandbox.ips[0] ?? "");
    if (place.device !== undefined) {
      await keeper.run(["ip", "link", "del", place.device]);
      for (const ip of sandbox.ips) this.#addresses.giveBack(ip);
    }
    for (const { pod, container } of volumesOfMemory(place))
      await keeper.run(["umount", "-l", insidePath(join(this.#podFolder(pod), "volumes", container))]);
    await rm(place.folder, { recursive: true, force: true });
    await rm(this.#containersFolder(sandbox), { recursive: true, force: true });
  }

  async startContainer(order: ContainerOrder): Promise<Started> {
    const place = this.#pods.get(order.sandbox.id);
    if (place === undefined) throw new NodeError("CreateContainerError", "the sandbox of the pod is gone");
    const { keeper, exits, clock, images } = this.#parts;
    const id = this.#newId(order.container.name);
    const image = await images.unpack(order.container.image ?? "");
    const folder = join(this.#containersFolder(order.sandbox), id);
    const plan = await planContainer({
      order,
      place,
      image,
      folder,
      id,
      parts: this.#parts,
      logs: this.logFile(order),
    });
    await keeper.must(["sh", "-e"], plan.mountScript);
    const startedAt = clock.wall();
    exits.set(id, (end) => void this.#ended(id, { ...end, plan, startedAt }, order));
    try {
      const { pid } = await keeper.start(plan.launch);
      // It may have ended before the news of its start arrived.
      if (exits.has(id)) this.#containers.set(id, { ...plan, id, pid, order });
    } catch (thrown) {
      exits.delete(id);
      throw toNodeError(thrown, "RunContainerError");
    }
    return { id, startedAt };
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const { keeper, clock } = this.#parts;
    const container = this.#containers.get(id);
    if (container === undefined) return;
    if (graceMs === 0) return void (await keeper.signal(id, "SIGKILL"));
    await keeper.signal(id, container.stopSignal);
    const kill = (): void => void (this.#containers.has(id) && keeper.signal(id, "SIGKILL").catch(() => {}));
    clock.later(graceMs, kill).unref?.();
  }

  async runCommand(id: string, command: readonly string[], timeoutMs: number): Promise<CheckResult> {
    const result = await this.exec(id, command, timeoutMs);
    if (result.timedOut)
      return { passed: false, output: `command timed out: ${command.join(" ")} timed out after ${timeoutMs / 1000}s` };
    return { passed: result.code === 0, output: result.output };
  }

  /** Runs a command in a container and gathers what it says. */
  exec(id: string, command: readonly string[], timeoutMs: number): Promise<InsideResult> {
    const socket = this.openExec(id, command, false, false);
    return runInside(socket, { clock: this.#parts.clock, timeoutMs });
  }

  check(_sandbox: Sandbox, check: NetworkCheck, timeoutMs: number): Promise<CheckResult> {
    const { keeper, clock } = this.#parts;
    return checkNetwork(check, {
      clock,
      timeoutMs,
      dial: (host, port) => dial(keeper.open({ to: "dial", host, port })),
    });
  }

  /** A framed connection to a command that is started in a container. */
  openExec(id: string, command: readonly string[], stdin: boolean, tty: boolean): Socket {
    const container = this.#containers.get(id);
    if (container === undefined) throw new NodeError("NotFound", `container ${id} is not running`);
    const entering = enterCommand(container.enter, container.pid, command);
    // A terminal is lent by the node: `script` makes one and passes on the exit code.
    const argv = tty ? ["/usr/bin/script", "-q", "-e", "-c", entering.map(quoted).join(" "), "/dev/null"] : entering;
    return this.#parts.keeper.open({ to: "exec", argv, env: container.launch.env, stdin });
  }

  /** A framed connection to a container that runs. */
  openAttach(id: string, stdin: boolean): Socket {
    return this.#parts.keeper.open({ to: "attach", id, stdin });
  }

  /** A connection to a port of a pod, as the pod itself would make it. */
  openPort(sandbox: Sandbox, port: number): Promise<Socket> {
    const place = this.#pods.get(sandbox.id);
    if (place === undefined) throw new NodeError("NotFound", "the pod is not running");
    return dial(this.#parts.keeper.open({ to: "dial-in", pid: place.holder, port }));
  }

  /** What a container uses now. */
  usage(id: string): Promise<{ readonly cpuNanoseconds: number; readonly memoryBytes: number }> {
    return this.#parts.keeper.usage(id);
  }

  /** Cuts the line of a pod, or joins it again. */
  async setLine(sandbox: Sandbox, state: "cut" | "healed"): Promise<void> {
    const device = this.#pods.get(sandbox.id)?.device;
    if (device === undefined) return;
    const { keeper } = this.#parts;
    await keeper.must(["ip", "link", "set", device, state === "cut" ? "down" : "up"]);
    if (state === "healed")
      for (const ip of sandbox.ips) await keeper.run(["ip", "route", "replace", `${ip}/32`, "dev", device]);
  }

  /** The file with the output of one run of a container. */
  logFile({ pod, container, attempt }: Pick<ContainerOrder, "pod" | "container" | "attempt">): string {
    const { namespace, name, uid } = pod.metadata;
    return join(this.#parts.state, "logs", `${namespace}_${name}_${uid}`, container.name, `${attempt}.log`);
  }

  async forgetPod({ metadata: { namespace, name, uid } }: BoundPod): Promise<void> {
    await rm(join(this.#parts.state, "logs", `${namespace}_${name}_${uid}`), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#containers.keys()];
    await Promise.all(all.map((id) => this.#parts.keeper.signal(id, "SIGKILL").catch(() => false)));
    for (const { sandbox } of this.#pods.values()) await this.removeSandbox(sandbox).catch(() => {});
  }

  async #ended(
    id: string,
    end: {
      readonly code: number | null;
      readonly signal: string | null;
      readonly tail: string;
      readonly plan: PlannedContainer;
      readonly startedAt: number;
    },
    order: ContainerOrder,
  ): Promise<void> {
    const { keeper, exits, clock, insidePath } = this.#parts;
    exits.delete(id);
    this.#containers.delete(id);
    const { plan, startedAt } = end;
    await keeper.run(["umount", "-l", insidePath(plan.root)]).catch(() => {});
    const message = await readFile(plan.messageFile, "utf8").catch(() => "");
    const exit: Exit = await toExit({
      id,
      ...end,
      startedAt,
      finishedAt: clock.wall(),
      message,
      container: order.container,
      log: plan.launch.log,
    });
    order.exited(exit);
  }

  async #writePodFiles(pod: BoundPod, folder: string, { ips }: Sandbox): Promise<void> {
    const { names } = this.#parts;
    await writeFile(join(folder, "hosts"), hostsFile(pod, ips, names));
    await writeFile(join(folder, "resolv.conf"), resolvFile(pod, names));
    await writeFile(join(folder, "hostname"), `${hostnameOf(pod)}\n`);
    for (const name of ["hosts", "resolv.conf", "hostname"]) await chmod(join(folder, name), 0o644);
  }

  /** Starts the process that holds the namespaces of the pod while its containers come and go. */
  async #hold(pod: BoundPod, { id }: Sandbox): Promise<number> {
    const spaces = pod.spec.hostNetwork === true ? ["--uts", "--ipc"] : ["--net", "--uts", "--ipc"];
    const script = 'hostname "$0"; echo "{\\"child-pid\\": $$}" >&3; exec 3>&-; exec sleep infinity';
    const name = pod.spec.hostNetwork === true ? this.node.name : hostnameOf(pod);
    const { pid } = await this.#parts.keeper.start({
      id,
      argv: ["unshare", ...spaces, "sh", "-c", script, name],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      log: "/dev/null",
      stdin: false,
      tellsPid: true,
    });
    return pid;
  }

  async #connect({ id }: Sandbox, ip: string, holder: number): Promise<string> {
    const line = { device: `v${id.slice(0, 12)}`, ip, gateway: this.node.address, holder };
    const { keeper } = this.#parts;
    await keeper.must(["ip", "-batch", "-"], nodeSide(line));
    await keeper.must(["nsenter", "-t", String(holder), "-n", "ip", "-batch", "-"], podSide(line));
    return line.device;
  }

  async #setHostPorts(verb: "add" | "delete", pod: BoundPod, ip: string): Promise<void> {
    const elements = hostPortElements(pod, ip).map(({ key, value }) => (verb === "add" ? `${key} : ${value}` : key));
    if (elements.length === 0) return;
    const argv = ["nft", `${verb} element ip capstan-host-ports ports { ${elements.join(", ")} }`];
    if (verb === "delete") return void (await this.#parts.keeper.run(argv));
    await this.#parts.keeper.must(argv);
  }

  #volumePlace(folder: string): VolumePlace {
    const { keeper, state, insidePath } = this.#parts;
    return {
      folder,
      disk: join(state, "disk"),
      stamp: `${this.#parts.clock.wall()}_${this.#serial++}`,
      mountMemory: async (path, limit) => {
        const size = limit === undefined ? [] : ["-o", `size=${limit.replace(/i?B?$/, "").toLowerCase()}`];
        await keeper.must(["mount", "-t", "tmpfs", ...size, "-o", "mode=777", "tmpfs", insidePath(path)]);
      },
    };
  }

  #podFolder({ metadata }: BoundPod): string {
    return join(this.#parts.state, "pods", metadata.uid);
  }

  #containersFolder({ id }: Sandbox): string {
    return join(this.#parts.state, "containers", id.slice(0, 16));
  }

  #newId(seed: string): string {
    const { clock } = this.#parts;
    return createHash("sha256")
      .update(`${this.node.name}/${seed}/${clock.wall()}/${this.#serial++}`)
      .digest("hex");
  }
}

function volumesOfMemory({ pod }: PodPlace): readonly { readonly pod: BoundPod; readonly container: string }[] {
  const volumes = (pod.spec.volumes ?? []).filter(({ emptyDir }) => emptyDir?.medium === "Memory");
  return volumes.map(({ name }) => ({ pod, container: name }));
}
