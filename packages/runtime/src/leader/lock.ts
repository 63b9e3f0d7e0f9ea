/**
 * The lock of one replica to one Lease: acquires it when it is free, renews it while it holds it, and releases it.
 *
 * Every replica uses its own monotonic clock: a candidate waits a whole lease duration after it last saw the record change, so wrong wall
 * clocks do not matter.
 */
import { ApiError, isApiError } from "@capstan/client";
import { isEarlier } from "../api.ts";
import type { Api } from "../api.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { Lease, microTime } from "./lease.ts";
import type { LeaseObject, LeaseSpec } from "./lease.ts";

export interface LockOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** The identity of this replica; must differ between replicas. */
  readonly identity: string;
  /** How long a lease lasts without a renewal, in milliseconds. */
  readonly duration: number;
  /** The timeout of one request. */
  readonly limit: number;
  /** Other annotations of the Lease: they are written again if the Lease was deleted. */
  readonly annotations?: (() => { readonly [name: string]: string }) | undefined;
}

/** The result of an attempt to acquire or renew a lease: the time since which it is held, or its holder. */
export type Attempt =
  | { readonly is: "held"; readonly since: number }
  | { readonly is: "another's"; readonly holder: string }
  /** The replica was stopped meanwhile. */
  | { readonly is: "stopped" };

/** One replica and one Lease. */
export class LeaseLock {
  readonly #options: LockOptions;
  /** The last seen record, and the time of its last change on our clock. */
  #seen: { readonly lease: LeaseObject; readonly at: number } | undefined;
  /** Whether a record with our identity was ever sent: only then may the Lease hold it, even if the response was lost. */
  #hasWritten = false;

  constructor(options: LockOptions) {
    this.#options = options;
  }

  /** The Lease as `namespace/name`. */
  get lease(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  /** One attempt to acquire or renew the lease. */
  async acquireOrRenew(stop: AbortSignal): Promise<Attempt> {
    const { clock, identity } = this.#options;
    const since = clock.now();
    const lease = await this.#read(stop);
    const holder = lease?.spec?.holderIdentity ?? "";
    if (lease !== undefined && holder !== identity && holder !== "" && !this.#hasExpired())
      return { is: "another's", holder };
    if (stop.aborted) return { is: "stopped" };
    const spec = this.#record(lease?.spec, holder === identity);
    this.#hasWritten = true;
    await this.#send(spec, lease === undefined ? "new" : holder === identity ? "held" : "free");
    // A replica that was stopped meanwhile is about to release the lease: it must not lead again.
    return stop.aborted ? { is: "stopped" } : { is: "held", since };
  }

  /** Releases the lease if the record has our identity. Reads first: the Lease may have been annotated or taken over since. */
  async release(): Promise<void> {
    if (!this.#hasWritten) return;
    const { api, namespace, name, identity } = this.#options;
    const lease = this.#note(await this.#limited((signal) => api.get(Lease, { namespace, name }, signal)));
    if (lease.spec?.holderIdentity !== identity) return;
    await this.#write({ ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 });
  }

  #hasExpired(): boolean {
    const duration = (this.#seen?.lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return this.#seen !== undefined && this.#options.clock.now() - this.#seen.at >= duration;
  }

  async #read(stop: AbortSignal): Promise<LeaseObject | undefined> {
    const { api, namespace, name } = this.#options;
    try {
      const get = (signal: AbortSignal): Promise<LeaseObject> => api.get(Lease, { namespace, name }, signal);
      return this.#note(await this.#limited((signal) => get(AbortSignal.any([stop, signal]))));
    } catch (error) {
      if (isApiError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  /** The latest record: an older record of a stale server is ignored, unless the newer one is no longer renewed. */
  #note(lease: LeaseObject): LeaseObject {
    const known = this.#seen?.lease;
    if (known !== undefined && this.#isOld(lease.metadata.resourceVersion, known)) return known;
    this.#seen = { lease, at: this.#options.clock.now() };
    return lease;
  }

  #isOld(version: string, { metadata: { resourceVersion } }: LeaseObject): boolean {
    return version === resourceVersion || (isEarlier(version, resourceVersion) && !this.#hasExpired());
  }

  #record(former: LeaseSpec | undefined, isOurs: boolean): LeaseSpec {
    const { clock, identity, duration } = this.#options;
    const now = microTime(clock.wall());
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      acquireTime: isOurs ? (former?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (former?.leaseTransitions ?? 0) + (isOurs || former === undefined ? 0 : 1),
    };
  }

  /**
   * Half of the deadline for each request: if one hangs, there is time for another before the lease is lost, and a release does not hang
   * forever.
   */
  async #limited<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { limit, clock } = this.#options;
    const over = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = clock.later(limit, () => {
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

  /** Writes the record over the last seen one. */
  #send(spec: LeaseSpec, found: "new" | "held" | "free"): Promise<void> {
    if (found === "new") return this.#create(spec);
    return found === "held" ? this.#renew(spec) : this.#write(spec);
  }

  /** Not aborted by a stop, like every write of the record: the release must know its result. */
  async #create(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity, annotations } = this.#options;
    const metadata = { namespace, name, ...(annotations && { annotations: annotations() }) };
    const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
    this.#note(await this.#limited((signal) => api.create(Lease, object, { manager: identity, signal })));
  }

  /**
   * The precondition is that the lease is ours, whatever else changes: a resourceVersion would be stale after every annotation, also by
   * the operator itself.
   */
  async #renew(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const changes = Object.entries(spec).map(([field, value]) => ({ op: "add", path: `/spec/${field}`, value }));
    const body = [{ op: "test", path: "/spec/holderIdentity", value: identity }, ...changes];
    const options = { type: "json", manager: identity } as const;
    try {
      this.#note(await this.#limited((signal) => api.patch(Lease, { namespace, name }, body, { ...options, signal })));
    } catch (cause) {
      if (!isApiError(cause, "Invalid")) throw cause;
      throw new ApiError({ code: "Conflict", message: `${identity} does not hold the lease any more`, cause });
    }
  }

  /** The resourceVersion fails if another candidate was faster. */
  async #write(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const resourceVersion = this.#seen?.lease.metadata.resourceVersion;
    const body = { metadata: { resourceVersion }, spec };
    const options = { type: "merge", manager: identity } as const;
    this.#note(await this.#limited((signal) => api.patch(Lease, { namespace, name }, body, { ...options, signal })));
  }
}
