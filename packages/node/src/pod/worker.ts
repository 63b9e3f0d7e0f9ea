/** Carries out the decisions for one pod: each pod has one worker, which alone holds and changes its situation. */
import type { Timer } from "@capstan/client";
import type { PodStatus } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { Bench, type WorkerTools } from "./bench.ts";
import type { BoundPod } from "./containers.ts";
import { decide, type Action } from "./decide.ts";
import { firstSituation, withPod, type Moment, type Situation } from "./situation.ts";
import { isLimited, outgrown } from "./sizes.ts";
import { isComingUp } from "./phase.ts";
import { statusOf } from "./status.ts";
import { startContainer, stopContainer } from "./steps/container.ts";
import { pullImage } from "./steps/image.ts";
import { askContainer } from "./steps/probe.ts";
import { resizePod } from "./steps/resize.ts";
import { prepareSandbox, removeSandbox } from "./steps/sandbox.ts";

/** The grace period of an evicted pod in seconds. */
const evictionGrace = 1;
/** For how many milliseconds the status of a starting pod may be held back. */
const longestSilence = 100;

/** One pod on this node. */
export class PodWorker {
  readonly #bench: Bench;
  #status: PodStatus | undefined;
  /** The status that the API server last sent. */
  #seen: PodStatus | undefined;
  #timer: Timer | undefined;
  /** Since when a status has been held back. */
  #heldSince: number | undefined;
  #isDue = false;
  #isClosed = false;
  #isForgetting = false;
  #objectIsGone = false;

  constructor(pod: BoundPod, tools: WorkerTools) {
    this.#bench = new Bench(firstSituation(pod, momentOf(tools.clock)), tools, () => this.wake());
    const isNew = pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined;
    const refusal = isNew ? tools.admit(pod) : undefined;
    if (refusal !== undefined) this.#refuse(refusal.reason, refusal.message);
    this.wake();
  }

  get situation(): Situation {
    return this.#bench.situation;
  }

  /** Takes a newer version of the pod. */
  update(pod: BoundPod): void {
    this.#seen = pod.status;
    this.#bench.set(withPod(this.situation, this.#withOwnStatus(pod), momentOf(this.#bench.tools.clock)));
    this.wake();
  }

  /** Reports the status again if another client changed conditions that this node owns. */
  insist(): void {
    const own = this.#status?.conditions ?? [];
    const told = this.#seen?.conditions ?? [];
    const isContradicted = own.some(({ type, status }) =>
      told.some((one) => one.type === type && one.status !== status),
    );
    if (this.#status === undefined || !isContradicted || this.#objectIsGone || this.#isClosed) return;
    this.#bench.tools.report(this.situation.pod, this.#status, "whole");
  }

  /** The object was deleted with force: everything has to end now. */
  vanish(): void {
    this.#objectIsGone = true;
    const { pod, containers } = this.situation;
    const deletionTimestamp = pod.metadata.deletionTimestamp ?? new Date(this.#bench.tools.clock.wall()).toISOString();
    const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 };
    this.#bench.set({ pod: { ...pod, metadata } });
    for (const [container, { life }] of containers)
      if (life.is === "running" || life.is === "starting")
        this.#begin({ do: "stop", container, graceSeconds: 0, because: "deleted" });
    this.wake();
  }

  /** Ends a pod that was not deleted. */
  condemn(reason: string, message: string): void {
    this.#bench.set({ verdict: { reason, message } });
    this.wake();
  }

  /** Ends a pod under node pressure: soon, and with an event. */
  evict(message: string): void {
    const { verdict, pod } = this.situation;
    if (verdict !== undefined || pod.metadata.deletionTimestamp !== undefined) return;
    this.#bench.tell("Warning", "Evicted", message);
    this.#bench.set({ verdict: { reason: "Evicted", message, graceSeconds: evictionGrace } });
    this.wake();
  }

  /** Evicts the pod if it exceeds its disk limits. */
  async checkSizes(): Promise<void> {
    const { sandbox, pod } = this.situation;
    const { runtime } = this.#bench.tools;
    if (sandbox.is !== "ready" || runtime.diskUse === undefined || !isLimited(pod.spec)) return;
    const message = outgrown(pod.spec, await runtime.diskUse(sandbox.sandbox));
    if (message !== undefined && !this.#isClosed) this.evict(message);
  }

  /** Stops deciding; running containers are left to the runtime. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Updates the files of volumes. */
  async refreshVolumes(): Promise<void> {
    const { sandbox, pod } = this.situation;
    if (sandbox.is !== "ready") return;
    const { runtime, volumes } = this.#bench.tools;
    await runtime.updateVolumes(sandbox.sandbox, await volumes(pod, { isRefresh: true }));
  }

  /** Decides again, once, in a microtask. */
  wake(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (!this.#isClosed) this.#think();
    });
  }

  #refuse(reason: string, message: string): void {
    this.#bench.set({ verdict: { reason, message, isRefusal: true } });
    this.#bench.tell("Warning", reason, message);
  }

  #think(): void {
    this.#timer?.cancel();
    const { clock } = this.#bench.tools;
    const now = clock.now();
    const { actions, wakeAt } = decide(this.situation, now);
    for (const action of actions) this.#begin(action);
    const next = Math.min(wakeAt, this.#holdBack(now));
    if (next < Infinity) this.#timer = clock.later(Math.max(0, next - now), () => this.wake());
  }

  /**
   * The status of a pod that starts soon is written once, when it runs: each write costs as much as a step. Returns when to write that of
   * a slower pod.
   */
  #holdBack(now: number): number {
    this.#heldSince = isComingUp(this.situation) ? (this.#heldSince ?? now) : undefined;
    const until = (this.#heldSince ?? -Infinity) + longestSilence;
    if (until > now) return until;
    this.#publish();
    return Infinity;
  }

  #publish(): void {
    const { clock, hostIps, scheme, report } = this.#bench.tools;
    const status = statusOf(this.situation, { wall: clock.wall(), now: clock.now(), hostIps, scheme });
    if (this.#status !== undefined && isDeepEqual(status, this.#status)) return;
    this.#status = status;
    this.#bench.set({ pod: this.#withOwnStatus(this.situation.pod) });
    if (!this.#objectIsGone) report(this.situation.pod, status);
  }

  /** The status that this node wrote last is newer than what the watch returns; of the conditions, only its own are. */
  #withOwnStatus(pod: BoundPod): BoundPod {
    if (this.#status === undefined) return pod;
    const own = this.#status.conditions ?? [];
    const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !own.some((one) => one.type === type));
    return { ...pod, status: { ...this.#status, conditions: [...own, ...foreign] } };
  }

  #begin(action: Action): void {
    switch (action.do) {
      case "prepare":
        return this.#run(prepareSandbox(this.#bench));
      case "pull":
        return this.#run(pullImage(this.#bench, action.container));
      case "start":
        return this.#run(startContainer(this.#bench, action.container));
      case "stop":
        return this.#run(stopContainer(this.#bench, action));
      case "probe":
        return this.#run(askContainer(this.#bench, action.container, action.probe));
      case "resize":
        return this.#run(resizePod(this.#bench));
      case "condemn":
        this.#bench.tell("Normal", action.verdict.reason, action.verdict.message);
        return this.condemn(action.verdict.reason, action.verdict.message);
      case "teardown":
        return this.#run(removeSandbox(this.#bench));
      case "forget":
        // Requested again while it is in progress: another start would wake this worker in a loop.
        return this.#isForgetting ? undefined : this.#run(this.#forget());
    }
  }

  /** Steps record their own failures in the situation; an error that escapes is a bug and must be visible. */
  #run(step: Promise<void>): void {
    step.then(
      () => this.wake(),
      (thrown: unknown) => this.#bench.tell("Warning", "FailedSync", `Error syncing pod: ${String(thrown)}`),
    );
  }

  async #forget(): Promise<void> {
    this.#isForgetting = true;
    const { pod, sandbox } = this.situation;
    if (sandbox.is !== "removed") this.#bench.set({ sandbox: { is: "removed", sandbox: undefined } });
    this.#publish();
    if (!this.#objectIsGone) await this.#bench.tools.forget(pod);
    this.close();
    this.#bench.tools.ended(pod);
  }
}

function momentOf(clock: WorkerTools["clock"]): Moment {
  return { now: clock.now(), wall: clock.wall() };
}
