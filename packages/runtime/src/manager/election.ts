/**
 * Sees to it that one replica works: holds a Lease, renews it, and stops all writes before another could have taken it over.
 *
 * A holder stops writing a renewal deadline after its last successful renewal was *sent*. The deadline is shorter than the time after which
 * a candidate takes a lease over, so as long as clocks run at about the same speed no two replicas ever write at once. Who had other names
 * holds the leases of those names as well: a replica of the version before is another replica, whatever it is called.
 */
import { isApiError } from "@capstan/client";
import type { Api } from "../api.ts";
import type { Fence } from "../apply/writer.ts";
import { sleep } from "../clock.ts";
import type { Clock, Random, Timer } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import { Claim } from "./claim.ts";

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
  /** Names of the leases that earlier versions contended for. */
  readonly previousNames?: readonly string[] | undefined;
  /** Who we are; must differ between replicas. */
  readonly identity: string;
  readonly tuning?: ElectionTuning | undefined;
  /** What else is kept on the lease: whoever deletes it must not make us forget. */
  readonly annotations?: (() => { readonly [name: string]: string }) | undefined;
}

/** A candidate, and the leader while it holds the lease. */
export class Election implements Fence {
  readonly #options: ElectionOptions;
  readonly #tuning: ElectionTuning;
  readonly #stop = new AbortController();
  readonly #elected = Promise.withResolvers<void>();
  readonly #lost = new AbortController();
  /** The lease of the present name comes first: of several replicas of one version, only one goes on to the others. */
  readonly #claims: readonly Claim[];
  /** Until when we may write; undefined when we do not lead. */
  #mayWriteUntil: number | undefined;
  #deadline: Timer | undefined;
  /** What was told last about rounds that fail. */
  #trouble: string | undefined;
  /** Who was told last to hold the lease. */
  #toldHolder: string | undefined;
  #finished: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#tuning = options.tuning ?? usualElection;
    const { name, previousNames = [], annotations, ...claiming } = options;
    const { duration, deadline } = this.#tuning;
    const shared = { ...claiming, duration, limit: Math.floor(deadline / 2) };
    const former = new Set(previousNames).difference(new Set([name]));
    this.#claims = [
      new Claim({ ...shared, name, annotations }),
      ...[...former].map((each) => new Claim({ ...shared, name: each })),
    ];
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

  /** Stops contending. Gives back what the records say that we hold; nothing may be written after this. */
  async release(): Promise<void> {
    await this.abandon();
    for (const claim of this.#claims) {
      await claim.giveBack().catch((error: unknown) => {
        if (isApiError(error, "NotFound")) return;
        this.#options.log.warn(`could not release the lease ${claim.lease}; it will run out by itself`, { error });
      });
    }
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

  /** Who looks for the one that works, or wonders why this one does not, reads it here. */
  #tellHolder(holder: string, lease: string): void {
    const told = `${holder} ${lease}`;
    if (told === this.#toldHolder) return;
    this.#toldHolder = told;
    const { log, identity } = this.#options;
    log.info(
      holder === identity ? `leads: holds the lease ${lease}` : `stands by: "${holder}" holds the lease ${lease}`,
    );
  }

  /** Found out twice where a renewal fails beyond the deadline; told once. */
  #lose(): void {
    if (this.#lost.signal.aborted) return;
    this.#mayWriteUntil = undefined;
    this.#options.log.error("the lease was lost; nothing is written any more");
    this.#lost.abort(new RuntimeError("Fenced", "Stopped: this replica has lost the lease."));
  }

  /** One attempt to get or to keep every lease: who has only some of them does not lead. */
  async #round(): Promise<void> {
    const { clock, identity } = this.#options;
    let since = clock.now();
    for (const claim of this.#claims) {
      const attempt = await claim.hold(this.#stop.signal);
      if (attempt.is === "stopped") return;
      if (attempt.is === "another's") {
        // Somebody else leads. If we thought we did, we were wrong: stop at once.
        this.#mayWriteUntil &&= 0;
        this.#tellHolder(attempt.holder, claim.lease);
        return;
      }
      since = Math.min(since, attempt.since);
    }
    this.#mayWriteUntil = since + this.#tuning.deadline;
    this.#armDeadline();
    this.#tellHolder(identity, this.#claims.map(({ lease }) => lease).join(", "));
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
}

/** For operators that run alone: they may always write. */
export const alwaysLeader: Fence = { check: () => undefined };
