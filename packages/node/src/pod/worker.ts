/** Carries out what is decided about one pod, one worker a pod: it holds the situation and is the only one to change it. */
import type { BoundPod } from "./containers.ts";
import { isDeepEqual } from "@capstan/model";
import type { Clock, Timer } from "@capstan/client";
import type { PodStatus } from "@capstan/kinds/v1";
import { NodeError, toNodeError } from "../errors.ts";
import { runHook, runProbe } from "../probe/run.ts";
import { afterAnswer, firstState, type ProbeKind } from "../probe/state.ts";
import type { Exit, ImageRecord, Runtime, Sandbox, Volumes } from "../runtime/runtime.ts";
import { decide, type Action } from "./decide.ts";
import { killingMessage, type PodEvent } from "./events.ts";
import { delays, firstSituation, restartDelay, withPod, type ContainerRecord, type Situation } from "./situation.ts";
import { crashLoop, statusOf } from "./status.ts";

/** What a worker needs of its node. */
export interface WorkerTools {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly hostIps: readonly string[];
  /** The scheme of container ids. */
  readonly scheme: string;
  readonly volumes: (pod: BoundPod) => Promise<Volumes>;
  /** The handler that the pod's RuntimeClass names. */
  readonly handler: (pod: BoundPod) => Promise<string>;
  readonly environment: (order: {
    readonly pod: BoundPod;
    readonly container: string;
    readonly sandbox: Sandbox;
  }) => Promise<ReadonlyMap<string, string>>;
  readonly report: (pod: BoundPod, status: PodStatus) => void;
  readonly record: (pod: BoundPod, event: PodEvent) => void;
  /** Tells the API server that everything has ended. */
  readonly forget: (pod: BoundPod) => Promise<void>;
  /** Told when nothing of the pod is left here. */
  readonly ended: (pod: BoundPod) => void;
}

const sandboxRetry = 2000;
/** However short the grace, a container gets this long after its preStop hook. */
const leastGrace = 2000;

/** One pod on this node. */
export class PodWorker {
  #situation: Situation;
  #status: PodStatus | undefined;
  #timer: Timer | undefined;
  #isDue = false;
  #isClosed = false;
  #isForgetting = false;
  #objectIsGone = false;
  readonly #tools: WorkerTools;

  constructor(pod: BoundPod, tools: WorkerTools) {
    this.#tools = tools;
    this.#situation = firstSituation(pod, tools.clock.now());
    this.wake();
  }

  get situation(): Situation {
    return this.#situation;
  }

  /** Takes a newer version of the pod. */
  update(pod: BoundPod): void {
    this.#situation = withPod(this.#situation, this.#withOwnStatus(pod), this.#tools.clock.now());
    this.wake();
  }

  /** The object was removed by force: everything has to end now. */
  vanish(): void {
    this.#objectIsGone = true;
    const { pod } = this.#situation;
    const deletionTimestamp = pod.metadata.deletionTimestamp ?? new Date(this.#tools.clock.wall()).toISOString();
    const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 };
    this.#situation = { ...this.#situation, pod: { ...pod, metadata } };
    for (const [name, { life }] of this.#situation.containers)
      if (life.is === "running") this.#stop({ do: "stop", container: name, graceSeconds: 0, because: "deleted" });
    this.wake();
  }

  /** Ends a pod that nobody deleted. */
  condemn(reason: string, message: string): void {
    this.#situation = { ...this.#situation, verdict: { reason, message } };
    this.wake();
  }

  /** Does nothing any more; what runs is left to the runtime. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Brings the files of volumes up to date. */
  async refreshVolumes(): Promise<void> {
    const { sandbox, pod } = this.#situation;
    if (sandbox.is !== "ready") return;
    await this.#tools.runtime.updateVolumes(sandbox.sandbox, await this.#tools.volumes(pod));
  }

  /** Thinks again, once, as soon as whatever runs now has come to its end. */
  wake(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (!this.#isClosed) this.#think();
    });
  }

  #think(): void {
    this.#timer?.cancel();
    const now = this.#tools.clock.now();
    const { actions, wakeAt } = decide(this.#situation, now);
    for (const action of actions) this.#begin(action);
    this.#publish();
    if (wakeAt < Infinity) this.#timer = this.#tools.clock.later(Math.max(0, wakeAt - now), () => this.wake());
  }

  #publish(): void {
    const { clock, hostIps, scheme } = this.#tools;
    const status = statusOf(this.#situation, { wall: clock.wall(), now: clock.now(), hostIps, scheme });
    if (this.#status !== undefined && isDeepEqual(status, this.#status)) return;
    this.#status = status;
    this.#situation = { ...this.#situation, pod: this.#withOwnStatus(this.#situation.pod) };
    if (!this.#objectIsGone) this.#tools.report(this.#situation.pod, status);
  }

  /** What this node wrote last is truer than what comes back; of conditions, only its own are. */
  #withOwnStatus(pod: BoundPod): BoundPod {
    if (this.#status === undefined) return pod;
    const own = this.#status.conditions ?? [];
    const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !own.some((one) => one.type === type));
    return { ...pod, status: { ...this.#status, conditions: [...own, ...foreign] } };
  }

  #begin(action: Action): void {
    switch (action.do) {
      case "prepare":
        return this.#run(this.#prepare());
      case "pull":
        return this.#run(this.#pull(action.container));
      case "start":
        return this.#run(this.#start(action.container));
      case "stop":
        return this.#stop(action);
      case "probe":
        return this.#run(this.#probe(action.container, action.probe));
      case "condemn":
        return this.condemn(action.verdict.reason, action.verdict.message);
      case "teardown":
        return this.#run(this.#teardown());
      case "forget":
        // Asked for again while it goes on: starting it anew would wake this worker without end.
        return this.#isForgetting ? undefined : this.#run(this.#forget());
    }
  }

  /** Steps turn their own failures into the situation; whatever comes out of one is a bug and must be seen. */
  #run(step: Promise<void>): void {
    step.then(
      () => this.wake(),
      (thrown: unknown) => this.#record("Warning", "FailedSync", `Error syncing pod: ${String(thrown)}`),
    );
  }

  #record(type: PodEvent["type"], reason: string, message: string, container?: string): void {
    this.#tools.record(this.#situation.pod, { type, reason, message, container });
  }

  #recordOf(name: string): ContainerRecord {
    const record = this.#situation.containers.get(name);
    if (record === undefined) throw new NodeError("Internal", `the pod has no container ${name}`);
    return record;
  }

  #change(name: string, change: Partial<ContainerRecord>): void {
    const containers = new Map(this.#situation.containers);
    containers.set(name, { ...this.#recordOf(name), ...change });
    this.#situation = { ...this.#situation, containers };
  }

  async #prepare(): Promise<void> {
    this.#situation = { ...this.#situation, sandbox: { is: "preparing" } };
    const { runtime, volumes, handler, clock } = this.#tools;
    const { pod } = this.#situation;
    try {
      const order = { pod, volumes: await volumes(pod), handler: await handler(pod) };
      const sandbox = await runtime.createSandbox(order);
      this.#situation = { ...this.#situation, sandbox: { is: "ready", sandbox } };
    } catch (thrown) {
      const { code, message } = toNodeError(thrown, "FailedCreatePodSandBox");
      const retryAt = clock.now() + sandboxRetry;
      this.#situation = { ...this.#situation, sandbox: { is: "refused", code, message, retryAt } };
      this.#record("Warning", code, code === "FailedMount" ? message : `Failed to create pod sandbox: ${message}`);
    }
  }

  async #pull(name: string): Promise<void> {
    const record = this.#recordOf(name);
    const { image: reference = "", imagePullPolicy = "IfNotPresent" } = record.container.spec;
    this.#change(name, { image: { is: "pulling" } });
    try {
      const image = await this.#findOrPull(reference, imagePullPolicy, name);
      this.#change(name, { image: { is: "present", image }, pullDelay: delays.first });
    } catch (thrown) {
      const { code, message } = toNodeError(thrown, "ErrImagePull");
      const failedAt = this.#tools.clock.now();
      const { pullDelay } = this.#recordOf(name);
      this.#change(name, {
        image: { is: "missing", code, message, failedAt, retryAt: failedAt + pullDelay },
        pullDelay: Math.min(delays.longest, pullDelay * 2),
      });
      if (code === "ErrImagePull")
        this.#record("Warning", "Failed", `Failed to pull image "${reference}": ${message}`, name);
      this.#record("Warning", "Failed", `Error: ${code}`, name);
      this.#record("Normal", "BackOff", `Back-off pulling image "${reference}"`, name);
    }
  }

  async #findOrPull(
    reference: string,
    policy: "Always" | "IfNotPresent" | "Never",
    name: string,
  ): Promise<ImageRecord> {
    const { runtime, clock } = this.#tools;
    const found = policy === "Always" ? undefined : await runtime.findImage(reference);
    if (found !== undefined) {
      this.#record("Normal", "Pulled", `Container image "${reference}" already present on machine`, name);
      return found;
    }
    if (policy === "Never")
      throw new NodeError(
        "ErrImageNeverPull",
        `Container image "${reference}" is not present with pull policy of Never`,
      );
    this.#record("Normal", "Pulling", `Pulling image "${reference}"`, name);
    const began = clock.now();
    const image = await runtime.pullImage(reference, this.#situation.pod);
    const took = `${Math.round(clock.now() - began)}ms`;
    const text = `Successfully pulled image "${reference}" in ${took} (${took} including waiting). Image size: ${image.bytes} bytes.`;
    this.#record("Normal", "Pulled", text, name);
    return image;
  }

  async #start(name: string): Promise<void> {
    const { container, image, life, last, restarts } = this.#recordOf(name);
    const { sandbox } = this.#situation;
    if (image.is !== "present" || sandbox.is !== "ready") return;
    const again = life.is === "exited";
    const attempt = again ? restarts + 1 : restarts;
    this.#change(name, { life: { is: "starting" }, last: again ? life.exit : last, restarts: attempt, probes: {} });
    const { runtime, environment, clock } = this.#tools;
    const { pod } = this.#situation;
    try {
      const env = await environment({ pod, container: name, sandbox: sandbox.sandbox });
      const exits = new Exits();
      const started = await runtime.startContainer({
        pod,
        sandbox: sandbox.sandbox,
        container: container.spec,
        kind: container.kind,
        image: image.image,
        env,
        attempt,
        exited: (exit) => exits.tell(exit),
      });
      this.#record("Normal", "Created", "Container created", name);
      this.#record("Normal", "Started", "Container started", name);
      await this.#postStart(name, started.id, sandbox.sandbox);
      const since = clock.now();
      this.#change(name, {
        life: { is: "running", ...started, since, stopping: undefined },
        probes: firstProbes(container.spec, since),
      });
      exits.listen((exit) => this.#exited(name, exit));
    } catch (thrown) {
      this.#refuse(name, toNodeError(thrown, "CreateContainerError"));
    }
  }

  #refuse(name: string, { code, message }: NodeError): void {
    const retryAt = this.#tools.clock.now() + delays.first;
    this.#change(name, { life: { is: "refused", code, message, retryAt } });
    this.#record("Warning", "Failed", `Error: ${message}`, name);
  }

  /** A container whose postStart hook fails is ended at once; its end is then like any other. */
  async #postStart(name: string, id: string, sandbox: Sandbox): Promise<void> {
    const { spec } = this.#recordOf(name).container;
    if (spec.lifecycle?.postStart === undefined) return;
    const tools = { runtime: this.#tools.runtime, clock: this.#tools.clock, sandbox, id };
    const result = await runHook(spec.lifecycle.postStart, spec, tools, Infinity);
    if (result.passed) return;
    this.#record("Warning", "FailedPostStartHook", "PostStartHook failed", name);
    await this.#tools.runtime.stopContainer(id, 0);
  }

  #exited(name: string, exit: Exit): void {
    const { life, crashes, container } = this.#recordOf(name);
    const now = this.#tools.clock.now();
    const ranLong = life.is === "running" && now - life.since >= delays.forgetAfter;
    const counted = ranLong ? 0 : crashes;
    const pullAgain = container.spec.imagePullPolicy === "Always";
    this.#change(name, {
      life: { is: "exited", exit, since: now },
      crashes: counted + 1,
      restartDelay: restartDelay(counted),
      probes: {},
      ...(pullAgain ? { image: { is: "unknown" } } : {}),
    });
    const { pod } = this.#situation;
    if (counted > 0 && pod.metadata.deletionTimestamp === undefined && pod.spec.restartPolicy !== "Never") {
      const { message } = crashLoop(this.#situation, this.#recordOf(name));
      const text = `Back-off restarting failed container ${name} in pod ${message.split("pod=")[1]}`;
      this.#record("Warning", "BackOff", text, name);
    }
    this.wake();
  }

  #stop(action: Extract<Action, { readonly do: "stop" }>): void {
    const { container: name, because } = action;
    const record = this.#recordOf(name);
    if (record.life.is !== "running") return;
    this.#change(name, { life: { ...record.life, stopping: because } });
    this.#record("Normal", "Killing", killingMessage(name, because), name);
    this.#run(this.#stopWithin(record, record.life.id, action.graceSeconds * 1000));
  }

  /** The preStop hook eats into the grace. */
  async #stopWithin({ container: { spec } }: ContainerRecord, id: string, graceMs: number): Promise<void> {
    const { runtime, clock } = this.#tools;
    const { sandbox } = this.#situation;
    const hook = spec.lifecycle?.preStop;
    if (hook === undefined || sandbox.is !== "ready" || graceMs === 0) return runtime.stopContainer(id, graceMs);
    const began = clock.now();
    const result = await runHook(hook, spec, { runtime, clock, sandbox: sandbox.sandbox, id }, graceMs);
    if (!result.passed) this.#record("Warning", "FailedPreStopHook", "PreStopHook failed", spec.name);
    return runtime.stopContainer(id, Math.max(leastGrace, graceMs - (clock.now() - began)));
  }

  async #probe(name: string, kind: ProbeKind): Promise<void> {
    const record = this.#recordOf(name);
    const { life, asking, container } = record;
    const probe = container.spec[`${kind}Probe`];
    const { sandbox } = this.#situation;
    if (life.is !== "running" || sandbox.is !== "ready" || probe === undefined) return;
    this.#change(name, { asking: new Set(asking).add(kind) });
    const tools = { runtime: this.#tools.runtime, clock: this.#tools.clock, sandbox: sandbox.sandbox, id: life.id };
    const result = await runProbe(probe, container.spec, tools);
    const after = this.#recordOf(name);
    const rest = new Set([...after.asking].filter((one) => one !== kind));
    const state = after.probes[kind];
    const isSameRun = after.life.is === "running" && after.life.id === life.id;
    if (!isSameRun || state === undefined) return this.#change(name, { asking: rest });
    const next = afterAnswer(state, probe, result.passed, this.#tools.clock.now());
    this.#change(name, { asking: rest, probes: { ...after.probes, [kind]: next } });
    if (!result.passed) {
      const title = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
      this.#record("Warning", "Unhealthy", `${title} probe failed: ${result.output}`, name);
    }
  }

  async #teardown(): Promise<void> {
    const { sandbox, pod } = this.#situation;
    if (sandbox.is !== "ready") return;
    this.#situation = { ...this.#situation, sandbox: { is: "removing", sandbox: sandbox.sandbox } };
    await this.#tools.runtime.removeSandbox(sandbox.sandbox, pod);
    this.#situation = { ...this.#situation, sandbox: { is: "removed", sandbox: sandbox.sandbox } };
  }

  async #forget(): Promise<void> {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    const { pod } = this.#situation;
    if (this.#situation.sandbox.is !== "removed") {
      this.#situation = { ...this.#situation, sandbox: { is: "removed", sandbox: undefined } };
    }
    this.#publish();
    if (!this.#objectIsGone) await this.#tools.forget(pod);
    this.close();
    this.#tools.ended(pod);
  }
}

function firstProbes(spec: ContainerRecord["container"]["spec"], now: number): ContainerRecord["probes"] {
  const { startupProbe, livenessProbe, readinessProbe } = spec;
  return {
    ...(startupProbe === undefined ? {} : { startup: firstState(startupProbe, now) }),
    ...(livenessProbe === undefined ? {} : { liveness: firstState(livenessProbe, now) }),
    ...(readinessProbe === undefined ? {} : { readiness: firstState(readinessProbe, now) }),
  };
}

/** A container may end before whoever started it knows that it runs: its end waits for a listener. */
class Exits {
  #exit: Exit | undefined;
  #listener: ((exit: Exit) => void) | undefined;

  tell(exit: Exit): void {
    this.#exit = exit;
    this.#listener?.(exit);
  }

  listen(listener: (exit: Exit) => void): void {
    this.#listener = listener;
    if (this.#exit !== undefined) listener(this.#exit);
  }
}
