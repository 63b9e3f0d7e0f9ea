/** A runtime without processes: pods start, get addresses and end according to a script, on the time of the given clock. */
import type { BoundPod } from "../pod/containers.ts";
import { createHash } from "node:crypto";
import type { Clock, Timer } from "@capstan/client";
import type { Container } from "@capstan/kinds/v1";
import { NodeError } from "../errors.ts";
import type {
  CheckResult,
  ContainerOrder,
  Exit,
  ImageRecord,
  NodeFacts,
  Runtime,
  Sandbox,
  SandboxOrder,
  Started,
} from "../runtime/runtime.ts";
import { addressesIn } from "./addresses.ts";
import { behaviourOf, isLike, type Behaviour, type Pattern, type Rule } from "./script.ts";

/** Options of the simulation. */
export interface SimulatedOptions {
  readonly clock: Clock;
  /** The first rule that matches a container applies to it. */
  readonly script?: readonly Rule[];
  /** The capacity of the node. Default: 110 pods, 4 CPUs, 16 GiB. */
  readonly capacity?: { readonly [resource: string]: string };
  readonly address?: string;
  /** The range of pod addresses. */
  readonly podCidr?: string;
}

/** A simulated runtime with ways to inject failures. */
export interface SimulatedRuntime extends Runtime {
  /** Replaces the script; running containers keep the old one. */
  setScript(script: readonly Rule[]): void;
  /** Ends running containers now; returns their number. */
  crash(
    which: Pattern,
    how?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string },
  ): number;
  /** Makes probes of running containers fail, or pass again. */
  setHealth(which: Pattern, healthy: boolean): number;
}

interface SimulatedContainer {
  readonly order: ContainerOrder;
  readonly behaviour: Behaviour;
  readonly started: Started;
  /** Monotonic. */
  readonly since: number;
  healthy: boolean;
  timer: Timer | undefined;
}

const facts = { operatingSystem: "linux", architecture: "amd64", kernelVersion: "simulated", osImage: "Simulated" };

/** Creates a simulated runtime. */
export function simulatedRuntime(options: SimulatedOptions): SimulatedRuntime {
  return new Simulation(options);
}

class Simulation implements SimulatedRuntime {
  readonly runsPrograms = false;
  #script: readonly Rule[];
  #serial = 0;
  readonly #options: SimulatedOptions;
  readonly #clock: Clock;
  readonly #images = new Set<string>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #addresses: ReturnType<typeof addressesIn>;

  constructor(options: SimulatedOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#script = options.script ?? [];
    this.#addresses = addressesIn(options.podCidr ?? "10.244.0.0/16");
  }

  async facts(): Promise<NodeFacts> {
    const { capacity = {}, address = "10.0.0.10" } = this.#options;
    return {
      addresses: [{ type: "InternalIP", address }],
      capacity: { cpu: "4", memory: "16Gi", pods: "110", "ephemeral-storage": "100Gi", ...capacity },
      nodeInfo: { ...facts, containerRuntimeVersion: "simulated://0.1.0" },
    };
  }

  async findImage(image: string): Promise<ImageRecord | undefined> {
    return this.#images.has(image) ? imageRecord(image) : undefined;
  }

  async pullImage(image: string, pod: BoundPod): Promise<ImageRecord> {
    const container = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((one) => one.image === image);
    const behaviour = this.#behaviour(pod, container ?? { name: "", image });
    await this.#pause(behaviour.pullDelay);
    if (behaviour.pullError !== undefined) throw new NodeError("ErrImagePull", behaviour.pullError);
    this.#images.add(image);
    return imageRecord(image);
  }

  async createSandbox({ pod, replaces }: SandboxOrder): Promise<Sandbox> {
    if (replaces !== undefined) await this.removeSandbox(replaces);
    const { address = "10.0.0.10" } = this.#options;
    const ip = pod.spec.hostNetwork === true ? address : this.#addresses.take();
    return { id: this.#newId(), ips: [ip] };
  }

  async updateVolumes(): Promise<void> {}

  async removeSandbox({ ips }: Sandbox): Promise<void> {
    for (const ip of ips) this.#addresses.giveBack(ip);
  }

  async startContainer(order: ContainerOrder): Promise<Started> {
    const { pod, container, kind, attempt } = order;
    const behaviour = behaviourOf(this.#script, { pod, container, kind });
    await this.#pause(behaviour.startDelay);
    if (behaviour.startError !== undefined) throw new NodeError("RunContainerError", behaviour.startError);
    const started = { id: this.#newId(), startedAt: this.#clock.wall() };
    const running = { order, behaviour, started, since: this.#clock.now(), healthy: true, timer: undefined };
    this.#containers.set(started.id, running);
    this.#scheduleEnd(running, attempt);
    return started;
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const running = this.#containers.get(id);
    if (running === undefined) return;
    const { stopDelay = 0 } = running.behaviour;
    const obeys = stopDelay !== "never" && stopDelay <= graceMs;
    const delay = obeys ? stopDelay : graceMs;
    running.timer?.cancel();
    const end = (): void => this.#end(running, obeys ? stopped : killed);
    if (delay === 0) end();
    else running.timer = this.#clock.later(delay, end);
  }

  async runCommand(id: string): Promise<CheckResult> {
    const running = this.#containers.get(id);
    return running === undefined ? { passed: false, output: "container not running" } : this.#answer(running);
  }

  async check(sandbox: Sandbox): Promise<CheckResult> {
    const all = [...this.#containers.values()].filter(({ order }) => order.sandbox.id === sandbox.id);
    const answers = all.map((running) => this.#answer(running));
    return answers.find(({ passed }) => !passed) ?? answers[0] ?? { passed: false, output: "connection refused" };
  }

  setScript(script: readonly Rule[]): void {
    this.#script = script;
  }

  crash(which: Pattern, how: { exitCode?: number; reason?: string; message?: string } = {}): number {
    const chosen = this.#choose(which);
    for (const running of chosen) this.#end(running, { exitCode: 1, reason: "Error", ...how });
    return chosen.length;
  }

  setHealth(which: Pattern, healthy: boolean): number {
    const chosen = this.#choose(which);
    for (const running of chosen) running.healthy = healthy;
    return chosen.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#containers.values()) timer?.cancel();
    this.#containers.clear();
  }

  #behaviour(pod: BoundPod, container: Container): Behaviour {
    const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) === true;
    return behaviourOf(this.#script, { pod, container, kind: isInit ? "init" : "regular" });
  }

  #choose({ namespace, pod, container, image }: Pattern): readonly SimulatedContainer[] {
    return [...this.#containers.values()].filter(
      ({ order }) =>
        isLike(namespace, order.pod.metadata.namespace) &&
        isLike(pod, order.pod.metadata.name) &&
        isLike(container, order.container.name) &&
        isLike(image, order.container.image),
    );
  }

  #answer({ behaviour, since, healthy }: SimulatedContainer): CheckResult {
    const { readyDelay = 0 } = behaviour;
    const passed = healthy && readyDelay !== "never" && this.#clock.now() - since >= readyDelay;
    return { passed, output: passed ? "ok" : "not ready" };
  }

  #scheduleEnd(running: SimulatedContainer, attempt: number): void {
    const { end } = running.behaviour;
    if (end === undefined || attempt >= (end.times ?? Infinity)) return;
    const how: Ending =
      end.type === "oom"
        ? { exitCode: 137, reason: "OOMKilled" }
        : { exitCode: end.code ?? 1, reason: end.code === 0 ? "Completed" : "Error" };
    const message = end.message === undefined ? {} : { message: end.message };
    running.timer = this.#clock.later(end.after, () => this.#end(running, { ...how, ...message }));
  }

  #end(running: SimulatedContainer, how: Ending): void {
    const { order, started } = running;
    running.timer?.cancel();
    if (!this.#containers.delete(started.id)) return;
    order.exited({ ...started, finishedAt: this.#clock.wall(), ...how });
  }

  #pause(delay: number | undefined): Promise<void> {
    if (delay === undefined || delay === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#clock.later(delay, resolve));
  }

  /** Ids look like real ones and are the same in every run. */
  #newId(): string {
    return createHash("sha256")
      .update(`${this.#options.address ?? ""}/${this.#serial++}`)
      .digest("hex");
  }
}

type Ending = Pick<Exit, "exitCode" | "reason" | "message">;

/** Simulated programs exit with 0 when they are stopped. */
const stopped: Ending = { exitCode: 0, reason: "Completed" };
const killed: Ending = { exitCode: 137, reason: "Error" };

function imageRecord(image: string): ImageRecord {
  return { id: `sha256:${createHash("sha256").update(image).digest("hex")}`, bytes: 1_000_000 };
}
