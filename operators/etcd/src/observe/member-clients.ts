/** Clients of the members for one reconcile: opened on first use, closed together. */
import type { ConnectOptions, Dial, EtcdClient, TlsMaterial } from "../etcd/index.ts";
import type { HashReader, MemberHash } from "capstan/stateful/quorum";
import { CLIENT_PORT, hostOf } from "../pods/index.ts";
import type { ClusterAddress } from "../pods/index.ts";

/** Creates a client; tests inject a fake etcd. */
export type Connect = (options: ConnectOptions) => EtcdClient;

export interface MemberClientsOptions {
  readonly connect: Connect;
  readonly dial?: Dial | undefined;
  readonly place: ClusterAddress;
  readonly tls?: TlsMaterial | undefined;
  /** Pod IPs by member. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
}

/** Clients for the members of one cluster. */
export class MemberClients implements AsyncDisposable, HashReader {
  readonly #options: MemberClientsOptions;
  readonly #begun: number;
  readonly #clients = new Map<string, EtcdClient>();

  constructor(options: MemberClientsOptions) {
    this.#options = options;
    this.#begun = options.steady();
  }

  /** Milliseconds left for requests: a reconcile that times out has observed nothing. */
  patience(): number {
    return Math.max(this.#begun + observeTimeout - this.#options.steady(), 1);
  }

  /** Members that have an address. */
  get members(): readonly string[] {
    return [...this.#options.addresses.keys()];
  }

  /** The client of a member; undefined if its pod has no IP. */
  to(member: string): EtcdClient | undefined {
    const address = this.#options.addresses.get(member);
    if (address === undefined) return undefined;
    const recordedState = this.#clients.get(member);
    if (recordedState !== undefined) return recordedState;
    const client = this.#options.connect(this.#target(member, address));
    this.#clients.set(member, client);
    return client;
  }

  /** The hash of a member's data; undefined if it returns none. */
  async hashOf(...[member, request]: Parameters<HashReader["hashOf"]>): Promise<MemberHash | undefined> {
    return await this.to(member)
      ?.maintenance.hashKv(request)
      .catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client[Symbol.asyncDispose]()));
    this.#clients.clear();
  }

  /** Connects by pod IP, because the operator may run without cluster DNS. The certificate is verified by name. */
  #target(member: string, address: string): ConnectOptions {
    const { place, tls, dial } = this.#options;
    const host = address.includes(":") ? `[${address}]` : address;
    return {
      endpoint: `${place.isSecure ? "https" : "http"}://${host}:${CLIENT_PORT}`,
      timeoutMs: callTimeout,
      ...(dial === undefined ? {} : { dial }),
      ...(tls === undefined ? {} : { tls: { ...tls, serverName: hostOf(place, member) } }),
    };
  }
}

const callTimeout = 3_000;
/** Of the three minutes of a reconcile. */
const observeTimeout = 150_000;
