/** Carries out what is decided about one pod, one worker a pod: it holds the situation and is the only one to change it. */
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

/** How many seconds an evicted pod has to end. */
const evictionGrace = 1;
/** For how many milliseconds a pod may come up without a word. */
const longestSilence = 100;

/** One pod on this node. */
export class PodWorker {
  readonly #bench: Bench;
  #status: PodStatus | undefined;
  /** What the API server had when it was last heard of. */
  #seen: PodStatus | undefined;
  #timer: Timer | undefined;
  /** Since when there has been something to tell. */
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

  /** Says again how the pod is where somebody else wrote otherwise into conditions that are this node's. */
  insist(): void {
    const own = this.#status?.conditions ?? [];
    const told = this.#seen?.conditions ?? [];
    const isContradicted = own.some(({ type, status }) =>
      told.some((one) => one.type === type && one.status !== status),
    );
    if (this.#status === undefined || !isContradicted || this.#objectIsGone || this.#isClosed) return;
    this.#bench.tools.report(this.situation.pod, this.#status, "whole");
  }

  /** The object was removed by force: everything has to end now. */
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

  /** Ends a pod that nobody deleted. */
  condemn(reason: string, message: string): void {
    this.#bench.set({ verdict: { reason, message } });
    this.wake();
  }

  /** Ends a pod as a node does that needs its room: soon, and with a word. */
  evict(message: string): void {
    const { verdict, pod } = this.situation;
    if (verdict !== undefined || pod.metadata.deletionTimestamp !== undefined) return;
    this.#bench.tell("Warning", "Evicted", message);
    this.#bench.set({ verdict: { reason: "Evicted", message, graceSeconds: evictionGrace } });
    this.wake();
  }

  /** Evicts the pod if it has outgrown its limits on disk. */
  async checkSizes(): Promise<void> {
    const { sandbox, pod } = this.situation;
    const { runtime } = this.#bench.tools;
    if (sandbox.is !== "ready" || runtime.diskUse === undefined || !isLimited(pod.spec)) return;
    const message = outgrown(pod.spec, await runtime.diskUse(sandbox.sandbox));
    if (message !== undefined && !this.#isClosed) this.evict(message);
  }

  /** Does nothing any more; what runs is left to the runtime. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Brings the files of volumes up to date. */
  async refreshVolumes(): Promise<void> {
    const { sandbox, pod } = this.situation;
    if (sandbox.is !== "ready") return;
    const { runtime, volumes } = this.#bench.tools;
    await runtime.updateVolumes(sandbox.sandbox, await volumes(pod, { isRefresh: true }));
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

  /** A pod that comes up soon is told of once, when it has: each word costs as much as a step. Says when to tell of one that takes longer. */
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
        // Asked for again while it goes on: starting it anew would wake this worker without end.
        return this.#isForgetting ? undefined : this.#run(this.#forget());
    }
  }

  /** Steps turn their own failures into the situation; whatever comes out of one is a bug and must be seen. */
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
