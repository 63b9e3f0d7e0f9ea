/**
 * A claim of one replica to one Lease: takes it when nobody holds it, renews it while it does, and gives it back.
 *
 * Everybody measures by their own monotonic clock: a candidate waits a whole lease duration after it last saw the record change, however
 * wrong the calendars are.
 */
import { ApiError, isApiError } from "@capstan/client";
import { isEarlier } from "../api.ts";
import type { Api } from "../api.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { Lease, microTime } from "./lease.ts";
import type { LeaseObject, LeaseSpec } from "./lease.ts";

/** What a claim is made with. */
export interface ClaimOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Who we are; must differ between replicas. */
  readonly identity: string;
  /** How long a lease lasts that nobody renews, in milliseconds. */
  readonly duration: number;
  /** How long one request may take. */
  readonly limit: number;
  /** What else is kept on the lease: whoever deletes it must not make us forget. */
  readonly annotations?: (() => { readonly [name: string]: string }) | undefined;
}

/** What came of an attempt to get or to keep a lease: since when it is known to be ours, or whose it is. */
export type Attempt =
  | { readonly is: "held"; readonly since: number }
  | { readonly is: "another's"; readonly holder: string }
  /** The replica was stopped meanwhile. */
  | { readonly is: "stopped" };

/** One replica and one Lease. */
export class Claim {
  readonly #options: ClaimOptions;
  /** The record as last seen, and when it last changed by our own clock. */
  #seen: { readonly lease: LeaseObject; readonly at: number } | undefined;
  /** Whether a record in our name was ever sent: only then it may be there, also when no answer came. */
  #hasWritten = false;

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** The lease, as people look for it. */
  get lease(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  /** One attempt to get or to keep the lease. */
  async hold(stop: AbortSignal): Promise<Attempt> {
    const { clock, identity } = this.#options;
    const since = clock.now();
    const lease = await this.#look(stop);
    const holder = lease?.spec?.holderIdentity ?? "";
    if (lease !== undefined && holder !== identity && holder !== "" && !this.#ranOut())
      return { is: "another's", holder };
    if (stop.aborted) return { is: "stopped" };
    const spec = this.#record(lease?.spec, holder === identity);
    this.#hasWritten = true;
    await this.#put(spec, lease === undefined ? "new" : holder === identity ? "held" : "free");
    // Whoever stopped meanwhile is about to give the lease back: it must not lead again.
    return stop.aborted ? { is: "stopped" } : { is: "held", since };
  }

  /** Gives the lease back if the record says that we hold it. Looks first: others may have annotated the lease since, or taken it. */
  async giveBack(): Promise<void> {
    if (!this.#hasWritten) return;
    const { api, namespace, name, identity } = this.#options;
    const lease = this.#note(await this.#limited((signal) => api.get(Lease, { namespace, name }, signal)));
    if (lease.spec?.holderIdentity !== identity) return;
    await this.#write({ ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 });
  }

  #ranOut(): boolean {
    const duration = (this.#seen?.lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return this.#seen !== undefined && this.#options.clock.now() - this.#seen.at >= duration;
  }

  async #look(stop: AbortSignal): Promise<LeaseObject | undefined> {
    const { api, namespace, name } = this.#options;
    try {
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
   * When one request hangs, there is time for another before the lease is lost, and whoever gives it back does not wait for ever.
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

  /** Writes the record, over what was seen. */
  #put(spec: LeaseSpec, found: "new" | "held" | "free"): Promise<void> {
    if (found === "new") return this.#create(spec);
    return found === "held" ? this.#renew(spec) : this.#write(spec);
  }

  /** Not ended by a stop, as every write of the record: whoever gives the lease back must know what became of it. */
  async #create(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity, annotations } = this.#options;
    const metadata = { namespace, name, ...(annotations && { annotations: annotations() }) };
    const object = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
    this.#note(await this.#limited((signal) => api.create(Lease, object, { manager: identity, signal })));
  }

  /**
   * Holds as long as the lease is ours, whatever else of it changes: a version would be out of date whenever somebody annotates the lease,
   * as the operator itself does.
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

  /** The version guards against a candidate that was quicker. */
  async #write(spec: LeaseSpec): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const resourceVersion = this.#seen?.lease.metadata.resourceVersion;
    const body = { metadata: { resourceVersion }, spec };
    const options = { type: "merge", manager: identity } as const;
    this.#note(await this.#limited((signal) => api.patch(Lease, { namespace, name }, body, { ...options, signal })));
  }
}
