/** Connections to the members for one reconcile: opened on first use, closed together. */
import type { Application, ConnectTarget, Dial } from "../application.ts";
import { hostOf } from "../pods/names.ts";

/** Where the members of a cluster are, and how to log in. */
export interface MemberPlaces {
  readonly cluster: string;
  readonly namespace: string;
  /** Pod addresses by member. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly password: string;
  /** Authorities in PEM, and the members that serve TLS: these are never reached without it. */
  readonly authority: string | undefined;
  readonly secured: ReadonlySet<string>;
  readonly dial?: Dial | undefined;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A member that was silent just now gets less time, so that it does not slow down a failover. */
const SILENT_TIMEOUT_MS = 400;

/** The clients of one cluster. */
export class MemberClients<C extends AsyncDisposable, P> implements AsyncDisposable {
  readonly #application: Application<C, P>;
  readonly #places: MemberPlaces;
  readonly #clients = new Map<string, Promise<C>>();

  constructor(application: Application<C, P>, places: MemberPlaces) {
    this.#application = application;
    this.#places = places;
  }

  /** The client of a member; it fails if the member has no address or does not respond. */
  async to(member: string, { wasSilent = false }: { readonly wasSilent?: boolean } = {}): Promise<C> {
    const open = this.#clients.get(member) ?? this.#open(member, wasSilent ? SILENT_TIMEOUT_MS : CONNECT_TIMEOUT_MS);
    this.#clients.set(member, open);
    return await open;
  }

  async #open(member: string, timeoutMs: number): Promise<C> {
    const { addresses, cluster, namespace, password, authority, secured, dial } = this.#places;
    const address = addresses.get(member);
    if (address === undefined) throw new Error(`${member} has no address: its pod does not run`);
    const target: ConnectTarget = {
      host: hostOf({ cluster, namespace }, member),
      address,
      port: this.#application.port,
      password,
      // Without authorities nothing is trusted: the connection fails.
      authority: secured.has(member) ? (authority ?? "") : undefined,
      dial,
      timeoutMs,
    };
    return await this.#application.connect(target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#clients.values());
    this.#clients.clear();
    const close = opened.map(async (one) => one.status === "fulfilled" && (await one.value[Symbol.asyncDispose]()));
    await Promise.allSettled(close);
  }
}
