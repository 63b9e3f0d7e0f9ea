/**
 * Sees to it that one replica works: holds a Lease, renews it, and stops all writes before another could have taken it over.
 *
 * Everybody measures by their own monotonic clock: a candidate waits a whole lease duration after it last saw the record change,
 * and a holder stops writing a renewal deadline after its last successful renewal was *sent*. The deadline is shorter than the
 * duration, so as long as clocks run at about the same speed no two replicas ever write at once, however wrong their calendars are.
 */
import { isApiError } from "@capstan/client";
import { isEarlier } from "../api.ts";
import type { Api } from "../api.ts";
import type { Fence } from "../apply/writer.ts";
import { sleep } from "../clock.ts";
import type { Clock, Random, Timer } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { Lease, microTime } from "./lease.ts";
import type { LeaseObject, LeaseSpec } from "./lease.ts";

/** How the election is held, times in milliseconds. */
export interface ElectionTuning {
  /** How long a lease lasts that nobody renews. */
  readonly duration: number;
  /** How long after its last renewal a holder may still write. */
  readonly deadline: number;
  /** How often to renew, or to look. */
  readonly period: number;
}

/** client-go's. */
export const usualElection: ElectionTuning = { duration: 15_000, deadline: 10_000, period: 2_000 };

/** What an election is made with. */
export interface ElectionOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /** Who we are; must differ between replicas. */
  readonly identity: string;
  readonly tuning?: ElectionTuning | undefined;
}

/** A candidate, and the leader while it holds the lease. */
export class Election implements Fence {
  readonly #options: ElectionOptions;
  readonly #tuning: ElectionTuning;
  readonly #stop = new AbortController();
  readonly #elected = Promise.withResolvers<void>();
  readonly #lost = new AbortController();
  /** The record as last seen, and when it last changed by our own clock. */
  #seen: { readonly lease: LeaseObject; readonly at: number } | undefined;
  /** Until when we may write; undefined when we do not lead. */
  #mayWriteUntil: number | undefined;
  #deadline: Timer | undefined;
  /** Whether a record in our name was ever sent: only then it may be there, also when no answer came. */
  #hasWritten = false;
  /** What was told last about rounds that fail. */
  #trouble: string | undefined;
  #finished: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#tuning = options.tuning ?? usualElection;
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** Resolves when we lead. */
  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  /** Aborted when we led and do not any more. There is no way back: the process ends or starts over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isLeader(): boolean {
    return (
      this.#mayWriteUntil !== undefined && this.#options.clock.now() < this.#mayWriteUntil && !this.#lost.signal.aborted
    );
  }

  check(): void {
    if (this.isLeader) return;
    throw new RuntimeError(
      "Fenced",
      "Did not write: this replica does not hold the lease. The one that holds it does the work.",
    );
  }

  /** Stops contending. Gives the lease back if the record says that we hold it; nothing may be written after this. */
  async release(): Promise<void> {
    await this.abandon();
    if (!this.#hasWritten) return;
    await this.#giveBack().catch((error: unknown) => {
      if (isApiError(error, "NotFound")) return;
      this.#options.log.warn("could not release the lease; it will run out by itself", { error });
    });
  }

  /** Looks first: others may have annotated the lease since, or taken it. */
  async #giveBack(): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const lease = this.#note(await this.#limited((signal) => api.get(Lease, { namespace, name }, signal)));
    if (lease.spec?.holderIdentity !== identity) return;
    await this.#write({ ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 });
  }

  /** Stops contending and leaves the lease as it is, as a process that dies does. */
  async abandon(): Promise<void> {
    this.#stop.abort();
    this.#deadline?.cancel();
    this.#mayWriteUntil = undefined;
    await this.#finished;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#options;
    while (!this.#stop.signal.aborted) {
      const hadLease = this.#mayWriteUntil !== undefined;
      try {
        await this.#round();
        this.#trouble = undefined;
      } catch (error) {
        this.#tell(error);
      }
      if (hadLease && !this.isLeader) return this.#lose();
      await sleep(clock, this.#tuning.period * (0.8 + 0.2 * random()), this.#stop.signal).catch(() => undefined);
    }
  }

  /** That another candidate was quicker is the order of things; anything else is told, once. A missing right comes with its rule. */
  #tell(error: unknown): void {
    const { log } = this.#options;
    const trouble = messageOf(error);
    if (isApiError(error, "Conflict", "AlreadyExists") || this.#stop.signal.aborted) {
      log.debug(`lease: ${trouble}`);
    } else if (trouble !== this.#trouble) {
      this.#trouble = trouble;
      log.error(`cannot get or keep the lease, and goes on trying: ${trouble}`);
    }
  }

  #lose(): void {
    this.#mayWriteUntil = undefined;
    this.#options.log.error("the lease was lost; nothing is written any more");
    this.#lost.abort(new RuntimeError("Fenced", "Stopped: this replica has lost the lease."));
  }

  /** One attempt to get or to keep the lease. */
  async #round(): Promise<void> {
    const { clock, identity } = this.#options;
    const sent = clock.now();
    const lease = await this.#look();
    const holder = lease?.spec?.holderIdentity ?? "";
    if (lease !== undefined && holder !== identity && holder !== "" && !this.#ranOut()) {
      // Somebody else leads. If we thought we did, we were wrong: stop at once.
      this.#mayWriteUntil &&= 0;
      return;
    }
    if (this.#stop.signal.aborted) return;
    const spec = this.#record(lease?.spec, holder === identity);
    this.#hasWritten = true;
    await (lease === undefined ? this.#create(spec) : this.#write(spec));
    // Whoever stopped meanwhile is about to give the lease back: it must not lead again.
    if (this.#stop.signal.aborted) return;
    this.#mayWriteUntil = sent + this.#tuning.deadline;
    this.#armDeadline();
    this.#elected.resolve();
  }

  /** Writes stop at the deadline even when the renewal hangs. */
  #armDeadline(): void {
    const { clock } = this.#options;
    const until = this.#mayWriteUntil ?? 0;
    this.#deadline?.cancel();
    this.#deadline = clock.later(until - clock.now(), () => {
      if (this.#mayWriteUntil === until && !this.#stop.signal.aborted) this.#lose();
    });
  }

  #ranOut(): boolean {
    const duration = (this.#seen?.lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return this.#seen !== undefined && this.#options.clock.now() - this.#seen.at >= duration;
  }

  async #look(): Promise<LeaseObject | undefined> {
    const { api, namespace, name } = this.#options;
    try {
      const stop = this.#stop.signal;
      const get = (signal: AbortSignal): Promise<LeaseObject> => api.get(Lease, { namespace, name }, signal);
      return this.#note(await this.#limited((signal) => get(AbortSignal.any([stop, signal]))));
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** The latest record: a server that is behind tells nothing new, unless nobody keeps up what came after it. */
  #note(lease: LeaseObject): LeaseObject {
    const known = this.#seen?.lease;
    if (known !== undefined && this.#isOld(lease.metadata.resourceVersion, known)) return known;
    this.#seen = { lease, at: this.#options.clock.now() };
    return lease;
  }

  #isOld(version: string, { metadata: { resourceVersion } }: LeaseObject): boolean {
    return version === resourceVersion || (isEarlier(version, resourceVersion) && !this.#ranOut());
  }

  #record(former: LeaseSpec | undefined, isOurs: boolean): LeaseSpec {
    const { clock, identity } = this.#options;
    const now = microTime(clock.wall());
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#tuning.duration / 1000),
      acquireTime: isOurs ? (former?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (former?.leaseTransitions ?? 0) + (isOurs || former === undefined ? 0 : 1),
    };
  }

  /**
   * One request gets half of the deadline: when one hangs, there is time for another before the lease is lost, and whoever gives it
   * back does not wait for ever.
   */
  async #limited<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = Math.floor(this.#tuning.deadline / 2);
    const over = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = this.#options.clock.later(limit, () => {
      const error = new RuntimeError("TimedOut", `the API server did not answer within ${limit} ms`);
      late.reject(error);
      over.abort(error);
    });
    try {
      return await Promise.race([call(over.signal), late.promise]);
    } finally {
      timer.cancel();
    }
  }

  /** Not ended by a stop, as every write of the record: whoever gives the lease back must know what became of it. */
  async #create(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name }, spec };
    this.#note(await this.#limited((signal) => api.create(Lease, object, { manager: identity, signal })));
  }

  /** The version guards against a candidate that was quicker. */
  async #write(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const resourceVersion = this.#seen?.lease.metadata.resourceVersion;
    const body = { metadata: { resourceVersion }, spec };
    const options = { type: "merge", manager: identity } as const;
    this.#note(await this.#limited((signal) => api.patch(Lease, { namespace, name }, body, { ...options, signal })));
  }
}

/** For operators that run alone: they may always write. */
export const alwaysLeader: Fence = { check: () => undefined };
