/** One run of a container: start with its hook, and end by itself or by a stop. */
import { StartError, toNodeError, type NodeError } from "../../errors.ts";
import { runHook } from "../../probe/run.ts";
import { firstState } from "../../probe/state.ts";
import type { Exit, Sandbox } from "../../runtime/runtime.ts";
import type { Bench } from "../bench.ts";
import type { Action } from "../decide.ts";
import { hookFailure, killingMessage } from "../events.ts";
import { delays, restartDelay, type ContainerRecord, type Stopping } from "../situation.ts";
import { crashLoop } from "../status.ts";

/** However short the grace period, a container gets this long after its preStop hook. */
const leastGrace = 2000;

export async function startContainer(bench: Bench, name: string): Promise<void> {
  const { container, image, life, last, restarts, allocated } = bench.recordOf(name);
  const { sandbox, pod } = bench.situation;
  if (image.is !== "present" || sandbox.is !== "ready") return;
  const again = life.is === "exited";
  const attempt = again ? restarts + 1 : restarts;
  const { runtime, environment, clock } = bench.tools;
  bench.change(name, {
    life: { is: "starting", before: life.is === "refused" ? life : undefined },
    last: again ? life.exit : last,
    restarts: attempt,
    restartedAt: again ? clock.now() : undefined,
    atLoss: undefined,
    probes: {},
  });
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
    bench.tell("Normal", "Created", "Container created", name);
    bench.tell("Normal", "Started", "Container started", name);
    const { id, startedAt, user } = started;
    const since = clock.now();
    bench.change(name, { user, actual: allocated, life: { is: "starting", id } });
    // A container that was deleted meanwhile can be stopped now, while its hook still runs.
    bench.wake();
    const failure = await Promise.race([postStart(bench, name, { id, sandbox: sandbox.sandbox }), exits.first]);
    bench.change(name, {
      life: { is: "running", id, startedAt, since, failure, ...stoppingOf(bench.recordOf(name), failure) },
      probes: failure === undefined ? firstProbes(container.spec, since) : {},
    });
    exits.listen((exit) => exited(bench, name, exit));
  } catch (thrown) {
    fail(bench, name, thrown);
  }
}

/** It may already be stopping when its hook ends. */
function stoppingOf({ life }: ContainerRecord, failure: string | undefined): Stopping {
  if (failure !== undefined) return { stopping: "hook" };
  return life.is === "starting" ? { stopping: life.stopping, stopBy: life.stopBy } : {};
}

/** A program that could not be started counts as an exit; a failure before that is retried. */
function fail(bench: Bench, name: string, thrown: unknown): void {
  const error = toNodeError(thrown, "CreateContainerError");
  if (!(error instanceof StartError)) return refuse(bench, name, error);
  bench.tell("Normal", "Created", "Container created", name);
  bench.tell("Warning", "Failed", `Error: ${error.message}`, name);
  exited(bench, name, error.exit);
}

function refuse(bench: Bench, name: string, { code, message }: NodeError): void {
  const retryAt = bench.tools.clock.now() + delays.first;
  bench.change(name, { life: { is: "refused", code, message, retryAt } });
  bench.tell("Warning", "Failed", `Error: ${message}`, name);
}

interface Begun {
  readonly id: string;
  readonly sandbox: Sandbox;
}

/** Runs the postStart hook; if it fails, the container is stopped. Returns the failure. */
async function postStart(bench: Bench, name: string, { id, sandbox }: Begun): Promise<string | undefined> {
  const { spec } = bench.recordOf(name).container;
  const hook = spec.lifecycle?.postStart;
  if (hook === undefined) return undefined;
  const { runtime, clock } = bench.tools;
  const result = await runHook(hook, spec, { runtime, clock, sandbox, id }, Infinity);
  if (result.passed) return undefined;
  bench.tell("Warning", "FailedPostStartHook", "PostStartHook failed", name);
  bench.tell("Normal", "Killing", "FailedPostStartHook", name);
  const { pod } = bench.situation;
  await runtime.stopContainer(id, (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000);
  return hookFailure(hook, { pod, container: name, result });
}

function exited(bench: Bench, name: string, exit: Exit): void {
  const { life, crashes, container } = bench.recordOf(name);
  const now = bench.tools.clock.now();
  const forgiven = life.is === "running" && (now - life.since >= delays.forgetAfter || life.stopping === "resize");
  const counted = forgiven ? 0 : crashes;
  const pullAgain = container.spec.imagePullPolicy === "Always";
  bench.change(name, {
    life: { is: "exited", exit, since: now },
    crashes: counted + 1,
    restartDelay: restartDelay(counted),
    probes: {},
    ...(pullAgain ? { image: { is: "unknown" } } : {}),
  });
  const { pod } = bench.situation;
  if (counted > 0 && pod.metadata.deletionTimestamp === undefined && pod.spec.restartPolicy !== "Never") {
    const { message } = crashLoop(bench.situation, bench.recordOf(name));
    const text = `Back-off restarting failed container ${name} in pod ${message.split("pod=")[1]}`;
    bench.tell("Warning", "BackOff", text, name);
  }
  bench.wake();
}

/** Marks a container as stopping and returns the promise of the stop. */
export function stopContainer(bench: Bench, action: Extract<Action, { readonly do: "stop" }>): Promise<void> {
  const { container: name, because } = action;
  const record = bench.recordOf(name);
  const { life } = record;
  if ((life.is !== "running" && life.is !== "starting") || life.id === undefined) return Promise.resolve();
  const graceMs = action.graceSeconds * 1000;
  bench.change(name, { life: { ...life, stopping: because, stopBy: bench.tools.clock.now() + graceMs } });
  // Its preStop hook has already run: only the deadline changes.
  if (life.stopping !== undefined) return bench.tools.runtime.stopContainer(life.id, graceMs);
  bench.tell("Normal", "Killing", killingMessage(name, because), name);
  return stopWithin(bench, record, { id: life.id, graceMs });
}

/** The time of the preStop hook counts towards the grace period. */
async function stopWithin(
  bench: Bench,
  { container: { spec } }: ContainerRecord,
  { id, graceMs }: { readonly id: string; readonly graceMs: number },
): Promise<void> {
  const { runtime, clock } = bench.tools;
  const { sandbox } = bench.situation;
  const hook = spec.lifecycle?.preStop;
  const hasPlace = sandbox.is === "ready" || sandbox.is === "lost";
  if (hook === undefined || !hasPlace || graceMs === 0) return runtime.stopContainer(id, graceMs);
  const began = clock.now();
  const result = await runHook(hook, spec, { runtime, clock, sandbox: sandbox.sandbox, id }, graceMs);
  if (!result.passed) bench.tell("Warning", "FailedPreStopHook", "PreStopHook failed", spec.name);
  return runtime.stopContainer(id, Math.max(leastGrace, graceMs - (clock.now() - began)));
}

function firstProbes(spec: ContainerRecord["container"]["spec"], now: number): ContainerRecord["probes"] {
  const { startupProbe, livenessProbe, readinessProbe } = spec;
  return {
    ...(startupProbe === undefined ? {} : { startup: firstState(startupProbe, now) }),
    ...(livenessProbe === undefined ? {} : { liveness: firstState(livenessProbe, now) }),
    ...(readinessProbe === undefined ? {} : { readiness: firstState(readinessProbe, now) }),
  };
}

/** A container may exit before `startContainer` resolves: its exit waits for a listener. */
class Exits {
  /** Resolves at the exit. */
  readonly first: Promise<undefined>;
  #exit: Exit | undefined;
  #listener: ((exit: Exit) => void) | undefined;
  #resolve: (nothing: undefined) => void = () => {};

  constructor() {
    this.first = new Promise((resolve) => (this.#resolve = resolve));
  }

  tell(exit: Exit): void {
    this.#exit = exit;
    this.#resolve(undefined);
    this.#listener?.(exit);
  }

  listen(listener: (exit: Exit) => void): void {
    this.#listener = listener;
    if (this.#exit !== undefined) listener(this.#exit);
  }
}
