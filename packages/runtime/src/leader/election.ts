/**
 * Leader election: holds a Lease, renews it, and stops all writes before another replica could have taken it over.
 *
 * A holder stops writing a renewal deadline after its last successful renewal was *sent*. The deadline is shorter than the time after
 * which a candidate takes a lease over, so as long as clocks run at about the same speed no two replicas ever write at once. An operator
 * with previous names also holds the leases of those names: a replica of the previous version is another replica, whatever its name.
 */
import { isApiError } from "@capstan/client";
import type { Api } from "../api.ts";
import type { Fence } from "../apply/writer.ts";
import { sleep } from "../clock.ts";
import type { Clock, Random, Timer } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { LeaseLock } from "./lock.ts";

/** The timing of the election, in milliseconds. */
export interface ElectionTuning {
  /** How long a lease lasts without a renewal. */
  readonly duration: number;
  /** How long after its last renewal a holder may still write. */
  readonly deadline: number;
  /** The interval of renewals and attempts. */
  readonly period: number;
}

/** The defaults of client-go. */
export const usualElection: ElectionTuning = { duration: 15_000, deadline: 10_000, period: 2_000 };

export interface ElectionOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /** Names of the leases of earlier versions. */
  readonly previousNames?: readonly string[] | undefined;
  /** The identity of this replica; must differ between replicas. */
  readonly identity: string;
  readonly tuning?: ElectionTuning | undefined;
  /** Other annotations of the Lease: they are written again if the Lease was deleted. */
  readonly annotations?: (() => { readonly [name: string]: string }) | undefined;
}

/** A candidate, and the leader while it holds the lease. */
export class Election implements Fence {
  readonly #options: ElectionOptions;
  readonly #tuning: ElectionTuning;
  readonly #stop = new AbortController();
  readonly #elected = Promise.withResolvers<void>();
  readonly #lost = new AbortController();
  /** The lease of the current name comes first: of several replicas of one version, only one continues with the others. */
  readonly #locks: readonly LeaseLock[];
  /** The time until which we may write; undefined when we do not lead. */
  #mayWriteUntil: number | undefined;
  #deadline: Timer | undefined;
  /** The last logged error of an attempt. */
  #lastError: string | undefined;
  /** The last logged holder of the lease. */
  #loggedHolder: string | undefined;
  #finished: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#tuning = options.tuning ?? usualElection;
    const { name, previousNames = [], annotations, ...claiming } = options;
    const { duration, deadline } = this.#tuning;
    const shared = { ...claiming, duration, limit: Math.floor(deadline / 2) };
    const former = new Set(previousNames).difference(new Set([name]));
    this.#locks = [
      new LeaseLock({ ...shared, name, annotations }),
      ...[...former].map((each) => new LeaseLock({ ...shared, name: each })),
    ];
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** Resolves when we lead. */
  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  /** Aborted when this replica has lost its leadership. That is final: the process ends or starts over. */
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

  /** Stops contending and releases the leases that we hold; nothing may be written after this. */
  async release(): Promise<void> {
    await this.abandon();
    for (const lock of this.#locks) {
      await lock.release().catch((error: unknown) => {
        if (isApiError(error, "NotFound")) return;
        this.#options.log.warn(`could not release the lease ${lock.lease}; it will run out by itself`, { error });
      });
    }
  }

  /** Stops contending and leaves the lease as it is, like a process that dies. */
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
        this.#lastError = undefined;
      } catch (error) {
        this.#logFailure(error);
      }
      if (hadLease && !this.isLeader) return this.#loseLease();
      await sleep(clock, this.#tuning.period * (0.8 + 0.2 * random()), this.#stop.signal).catch(() => undefined);
    }
  }

  /** A conflict with another candidate is normal; any other error is logged once. A missing permission is logged with its RBAC rule. */
  #logFailure(error: unknown): void {
    const { log } = this.#options;
    const message = messageOf(error);
    if (isApiError(error, "Conflict", "AlreadyExists") || this.#stop.signal.aborted) {
      log.debug(`lease: ${message}`);
    } else if (message !== this.#lastError) {
      this.#lastError = message;
      log.error(`cannot get or keep the lease, and goes on trying: ${message}`);
    }
  }

  /** Logs the current leader, so that users can find it. */
  #logHolder(holder: string, lease: string): void {
    const holding = `${holder} ${lease}`;
    if (holding === this.#loggedHolder) return;
    this.#loggedHolder = holding;
    const { log, identity } = this.#options;
    log.info(
      holder === identity ? `leads: holds the lease ${lease}` : `stands by: "${holder}" holds the lease ${lease}`,
    );
  }

  /** A renewal that fails beyond the deadline is detected twice and logged once. */
  #loseLease(): void {
    if (this.#lost.signal.aborted) return;
    this.#mayWriteUntil = undefined;
    this.#options.log.error("the lease was lost; nothing is written any more");
    this.#lost.abort(new RuntimeError("Fenced", "Stopped: this replica has lost the lease."));
  }

  /** One attempt to acquire or renew every lease: a replica with only some of them does not lead. */
  async #round(): Promise<void> {
    const { clock, identity } = this.#options;
    let since = clock.now();
    for (const lock of this.#locks) {
      const attempt = await lock.acquireOrRenew(this.#stop.signal);
      if (attempt.is === "stopped") return;
      if (attempt.is === "another's") {
        // Another replica leads. If this replica considered itself leader, it stops at once.
        this.#mayWriteUntil &&= 0;
        this.#logHolder(attempt.holder, lock.lease);
        return;
      }
      since = Math.min(since, attempt.since);
    }
    this.#mayWriteUntil = since + this.#tuning.deadline;
    this.#armDeadline();
    this.#logHolder(identity, this.#locks.map(({ lease }) => lease).join(", "));
    this.#elected.resolve();
  }

  /** Writes stop at the deadline even when the renewal hangs. */
  #armDeadline(): void {
    const { clock } = this.#options;
    const until = this.#mayWriteUntil ?? 0;
    this.#deadline?.cancel();
    this.#deadline = clock.later(until - clock.now(), () => {
      if (this.#mayWriteUntil === until && !this.#stop.signal.aborted) this.#loseLease();
    });
  }
}

/** For operators with one replica: they may always write. */
export const alwaysLeader: Fence = { check: () => undefined };
