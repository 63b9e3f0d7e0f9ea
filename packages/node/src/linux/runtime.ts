/** Runs containers on Linux: in the sandboxes of their pods, with bubblewrap, over the rootfs of their image. */
import { createHash } from "node:crypto";
import { appendFile, mkdir, rm } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Socket } from "node:net";
import { platformOf } from "@capstan/oci";
import type { PullLogins } from "../agent/pull-secrets.ts";
import type { ResourceRequirements } from "@capstan/kinds/v1";
import { NodeError, StartError, toNodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { DiskUse } from "../pod/sizes.ts";
import type {
  CheckResult,
  ContainerOrder,
  StreamingRuntime,
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
import { checkNetwork, dial } from "./checks.ts";
import { planContainer, type PlannedContainer } from "./container-plan.ts";
import { execFailure, neverStarted, readExit, type Ending } from "./exit.ts";
import { runInside, type InsideResult } from "./inside.ts";
import { carriedVariables, entryOf, execErrorPrefixOf, terminalOwner } from "./launch.ts";
import { measure } from "./measure.ts";
import type { MachineParts } from "./machine.ts";
import { PodPlaces, type PodPlace } from "./pod-places.ts";
import type { Unexecuted } from "./protocol.ts";
import { terminalVariables, withTerminal } from "./terminal.ts";
import { unacceptable, execFailureOf, unexecuted, type ExecFailure } from "./exec-failure.ts";

/** One node of a machine. */
export interface LinuxNode {
  readonly name: string;
  readonly address: string;
  /** The range of its pod addresses. */
  readonly podCidr: string;
  readonly capacity?: { readonly [resource: string]: string };
}

/** The state of a pod's network link: cut, slow, or normal. */
export type LineState = "cut" | "healed" | { readonly delayMs: number };

/** A started container. */
interface LinuxContainer extends PlannedContainer {
  readonly pid: number;
  readonly order: ContainerOrder;
}

/** What remains when a container has ended. */
interface Remains {
  readonly plan: PlannedContainer;
  readonly order: ContainerOrder;
  /** The mounts that were assembled for it. */
  readonly copies: readonly string[];
}

/** The runtime of one node. */
export class LinuxRuntime implements Runtime, StreamingRuntime {
  readonly runsPrograms = true;
  readonly streaming: StreamingRuntime = this;
  readonly node: LinuxNode;
  readonly #parts: MachineParts;
  readonly #places: PodPlaces;
  readonly #containers = new Map<string, LinuxContainer>();
  #serial = 0;

  constructor(parts: MachineParts, node: LinuxNode) {
    this.#parts = parts;
    this.node = node;
    this.#places = new PodPlaces({ parts, node, newId: (seed) => this.#newId(seed) });
  }

  async facts(): Promise<NodeFacts> {
    const { address, capacity = {} } = this.node;
    const memory = `${Math.floor(totalmem() / 1024)}Ki`;
    return {
      addresses: [{ type: "InternalIP", address }],
      capacity: { cpu: String(cpus().length), memory, pods: "110", "ephemeral-storage": "100Gi", ...capacity },
      runtimeHandlers: [{ name: "", features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
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

  pullImage(image: string, _pod: BoundPod, logins: PullLogins): Promise<ImageRecord> {
    return this.#parts.images.pull(image, logins);
  }

  async createSandbox(order: SandboxOrder): Promise<Sandbox> {
    const { replaces } = order;
    if (replaces !== undefined) {
      await this.#places.leave(replaces);
      await this.#removeContainersOf(replaces);
    }
    return this.#places.create(order);
  }

  updateVolumes(sandbox: Sandbox, volumes: Volumes): Promise<void> {
    return this.#places.updateVolumes(sandbox, volumes);
  }

  /** The sizes of volumes, and of the writable layers and logs of running containers. */
  async diskUse(sandbox: Sandbox): Promise<DiskUse> {
    const { shim, insidePath } = this.#parts;
    const running = [...this.#containers].filter(([, { order }]) => order.sandbox.id === sandbox.id);
    const places = running.map(([id, { order }]): [string, readonly string[]] => {
      const own = insidePath(join(this.#containersFolder(sandbox), id, "upper"));
      return [order.container.name, [own, dirname(this.logFile(order))]];
    });
    return {
      volumes: await this.#places.folderBytes(sandbox),
      containers: await measure(shim, new Map(places)),
    };
  }

  async removeSandbox(sandbox: Sandbox): Promise<void> {
    await this.#places.remove(sandbox);
    await this.#removeContainersOf(sandbox);
  }

  async #removeContainersOf(sandbox: Sandbox): Promise<void> {
    const { shim, insidePath } = this.#parts;
    const folder = this.#containersFolder(sandbox);
    // Inside, as with the pod's own folder: other pods may still hold files of its containers.
    await shim.removeBelow(insidePath(dirname(folder)), basename(folder));
  }

  async startContainer(order: ContainerOrder): Promise<Started> {
    const place = this.#places.get(order.sandbox);
    if (place === undefined) throw new NodeError("CreateContainerError", "the sandbox of the pod is gone");
    const { shim, exits, clock } = this.#parts;
    const id = this.#newId(order.container.name);
    const zero = unacceptable(order.env, order.container.workingDir ?? "");
    if (zero !== undefined) throw new StartError(neverStarted(id, clock.wall(), zero));
    const plan = await this.#plan(order, place, id);
    await shim.writeFilesAndFolders(plan.writeFilesAndFolders);
    await mkdir(dirname(plan.launch.log), { recursive: true });
    for (const mount of plan.mountCommands) await shim.must(mount);
    const { argv, copies, execFailure } = await this.#prepareMounts(id, plan, order);
    const startedAt = clock.wall();
    const remains = { plan, order, copies };
    const started = { id, startedAt, user: plan.enter.identity };
    const ended = new Promise<Exit>((resolve) => {
      exits.set(id, (end) => void this.#ended(id, { ...end, startedAt }, remains).then(resolve));
    });
    const { variables } = plan.launch;
    const command = plan.tty ? withTerminal(argv, terminalOwner(plan.enter)) : { argv, variables: {} };
    try {
      const { pid, isOver } = await shim.start({
        ...plan.launch,
        argv: command.argv,
        variables: { ...variables, ...command.variables },
        program: { ...plan.launch.program, execFailure },
      });
      if (!isOver) this.#containers.set(id, { ...plan, pid, order });
      else if ((await ended).reason === "StartError") throw new StartError(await ended);
    } catch (thrown) {
      exits.delete(id);
      throw toNodeError(thrown, "RunContainerError");
    }
    void ended.then(order.exited);
    this.#places.prepareNext();
    return started;
  }

  /** Resolves the mounts of the container, so that it can be started. */
  async #prepareMounts(
    id: string,
    plan: PlannedContainer,
    order: ContainerOrder,
  ): Promise<{
    readonly argv: readonly string[];
    readonly copies: readonly string[];
    readonly execFailure?: ExecFailure;
  }> {
    const { shim, clock } = this.#parts;
    try {
      const prepared = await shim.prepareMounts(plan.prepareMounts);
      const { copies } = prepared;
      const argv = plan.argvIn(prepared);
      const execFailure = execFailureOf(argv);
      // Its program is only checked then, and never executed.
      return execFailure === undefined ? { argv, copies } : { argv: plan.argvIn(prepared, ["/"]), copies, execFailure };
    } catch (thrown) {
      await this.#cleanUp(id, { plan, order, copies: [] });
      throw new StartError(neverStarted(id, clock.wall(), toNodeError(thrown, "Internal").message));
    }
  }

  /** A program that was found and cannot be executed: its container starts, logs the error and ends. */
  async #logExecFailure(plan: PlannedContainer, { file, failure }: Unexecuted): Promise<Ending> {
    const time = new Date(this.#parts.clock.wall()).toISOString().replace("Z", "000000Z");
    await appendFile(plan.launch.log, `${time} stderr F exec ${file}: ${failure}\n`).catch(() => {});
    return { code: 1, signal: null, refused: undefined };
  }

  async #plan(order: ContainerOrder, place: PodPlace, id: string): Promise<PlannedContainer> {
    const { images, groups } = this.#parts;
    const { pod, container } = order;
    return planContainer({
      order,
      place,
      id,
      image: await images.unpack(container.image ?? ""),
      folder: join(this.#containersFolder(order.sandbox), id),
      parts: this.#parts,
      logs: this.logFile(order),
      groups: (await groups?.addContainer(pod, id, container.resources)) ?? [],
      target: this.#targetOf(order),
    });
  }

  /** An ephemeral container may target the processes of another. */
  #targetOf({ pod, container }: ContainerOrder): number | undefined {
    const name = pod.spec.ephemeralContainers?.find((one) => one.name === container.name)?.targetContainerName;
    if (name === undefined || name === "") return undefined;
    return [...this.#containers.values()].find(
      ({ order }) => order.pod.metadata.uid === pod.metadata.uid && order.container.name === name,
    )?.pid;
  }

  async resizeContainer(id: string, pod: BoundPod, resources: ResourceRequirements): Promise<void> {
    await this.#parts.groups?.setContainer(pod, id, resources);
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const { shim, clock } = this.#parts;
    const container = this.#containers.get(id);
    if (container === undefined) return;
    if (graceMs === 0) return void (await shim.signal(id, "SIGKILL"));
    await shim.signal(id, container.stopSignal);
    const kill = (): void => void (this.#containers.has(id) && shim.signal(id, "SIGKILL").catch(() => {}));
    clock.later(graceMs, kill).unref?.();
  }

  async runCommand(id: string, command: readonly string[], timeoutMs: number): Promise<CheckResult> {
    const result = await this.exec(id, command, timeoutMs);
    if (result.timedOut)
      return {
        passed: false,
        output: `command timed out: "${command.join(" ")}" timed out after ${timeoutMs / 1000}s`,
      };
    const failure = result.refused === undefined ? result.error : execFailure(result.refused, command);
    if (failure !== undefined)
      return { passed: false, output: `rpc error: code = Unknown desc = ${failure}`, isUnknown: true };
    return { passed: result.code === 0, output: result.output, code: result.code };
  }

  /** Runs a command in a container and collects its output. */
  exec(id: string, command: readonly string[], timeoutMs: number): Promise<InsideResult> {
    const socket = this.openExec(id, command, false, false);
    return runInside(socket, { clock: this.#parts.clock, timeoutMs });
  }

  check(_sandbox: Sandbox, check: NetworkCheck, timeoutMs: number): Promise<CheckResult> {
    const { shim, clock } = this.#parts;
    return checkNetwork(check, {
      clock,
      timeoutMs,
      dial: (host, port) => dial(shim.open({ to: "dial", host, port })),
    });
  }

  /** A framed connection to a new command in a container. */
  openExec(id: string, command: readonly string[], stdin: boolean, tty: boolean): Socket {
    const container = this.#containers.get(id);
    if (container === undefined) throw new NodeError("NotFound", `container ${id} is not running`);
    const { env } = container.enter;
    const enter = tty ? { ...container.enter, env: new Map([...env, ...terminalVariables]) } : container.enter;
    return this.#parts.shim.open({
      to: "exec",
      id,
      entry: entryOf(enter, command),
      tty,
      owner: terminalOwner(enter),
      variables: carriedVariables(enter),
      execErrorPrefix: execErrorPrefixOf(container.enter),
      program: { ...container.launch.program, command: command[0] ?? "" },
      stdin,
      membership: container.launch.membership,
    });
  }

  /** A framed connection to a running container. */
  openAttach(id: string, stdin: boolean): Socket {
    return this.#parts.shim.open({ to: "attach", id, stdin });
  }

  /** Connects to a port of a pod from inside its network namespace. */
  openPort(sandbox: Sandbox, port: number): Promise<Socket> {
    const place = this.#places.get(sandbox);
    if (place === undefined) throw new NodeError("NotFound", "the pod is not running");
    return dial(this.#parts.shim.open({ to: "dial-in", pid: place.spaces.holder, port }));
  }

  /** The current usage of a container: from its cgroup, or else the sum over its processes. */
  async usage(id: string): Promise<{ readonly cpuNanoseconds: number; readonly memoryBytes: number }> {
    const container = this.#containers.get(id);
    const counted = container && (await this.#parts.groups?.usage(container.order.pod, id));
    return counted ?? this.#parts.shim.usage(id);
  }

  /** Cuts the network link of a pod, slows it down, or restores it. */
  async setLine(sandbox: Sandbox, state: LineState): Promise<void> {
    const device = this.#places.get(sandbox)?.spaces.device;
    if (device === undefined) return;
    const { shim } = this.#parts;
    if (typeof state === "object") return this.#delay(device, state.delayMs);
    await shim.must(["ip", "link", "set", device, state === "cut" ? "down" : "up"]);
    if (state === "cut") return;
    await shim.run(["tc", "qdisc", "del", "dev", device, "root"]);
    for (const ip of sandbox.ips) await shim.run(["ip", "route", "replace", `${ip}/32`, "dev", device]);
  }

  async #delay(device: string, delayMs: number): Promise<void> {
    const delay = ["netem", "delay", `${delayMs}ms`];
    const { code, stderr } = await this.#parts.shim.run(["tc", "qdisc", "replace", "dev", device, "root", ...delay]);
    if (code === 0) return;
    const remedy = "load the kernel's module sch_netem, or cut the line instead";
    throw new NodeError("MachineUnfit", `this machine cannot make lines slow: ${stderr.trim()}; ${remedy}`);
  }

  /** The log file of one run of a container. */
  logFile({ pod, container, attempt }: Pick<ContainerOrder, "pod" | "container" | "attempt">): string {
    const { namespace, name, uid } = pod.metadata;
    return join(this.#parts.state, "logs", `${namespace}_${name}_${uid}`, container.name, `${attempt}.log`);
  }

  async forgetPod(pod: BoundPod): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    await this.#places.forget(pod);
    await rm(join(this.#parts.state, "logs", `${namespace}_${name}_${uid}`), { recursive: true, force: true });
  }

  /** Ends everything that runs, as a power loss would: the files of pods stay on disk for the next start of the node. */
  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#containers.keys()];
    await Promise.all(running.map((id) => this.#parts.shim.signal(id, "SIGKILL").catch(() => false)));
    await this.#places.abandon();
  }

  async #ended(id: string, end: Ending & { readonly startedAt: number }, remains: Remains): Promise<Exit> {
    const { exits, clock, groups } = this.#parts;
    const { plan, order } = remains;
    const finishedAt = clock.wall();
    exits.delete(id);
    this.#containers.delete(id);
    const tooLong = unexecuted(end.refused);
    const unrun = end.unexecuted ?? (tooLong && { file: end.file ?? plan.command[0] ?? "", failure: tooLong });
    const how = unrun && { ...end, ...(await this.#logExecFailure(plan, unrun)) };
    const kills = (await groups?.oomKills(order.pod, id)) ?? 0;
    await this.#cleanUp(id, remains);
    return readExit({ id, ...(how ?? end), finishedAt, plan, container: order.container, ranOutOfMemory: kills > 0 });
  }

  async #cleanUp(id: string, { plan, order, copies }: Remains): Promise<void> {
    const { shim, insidePath, groups } = this.#parts;
    const mounts = [...copies, ...plan.mounted.map((path) => insidePath(path))];
    await shim.run(["umount", "-l", ...mounts]).catch(() => {});
    if (plan.insideFiles.length > 0) await shim.run(["rm", "-f", ...plan.insideFiles]).catch(() => {});
    await groups?.removeContainer(order.pod, id);
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
