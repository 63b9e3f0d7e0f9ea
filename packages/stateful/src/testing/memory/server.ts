/** Replicated servers in memory: what the library expects of a primary with replicas, without a network. A write is a number. */
import type { DatabaseAccount, UserAccount } from "../../accounts/accounts.ts";
import type { Comparison, MemberReport } from "../../application.ts";
import { hostIs } from "../../decide/view.ts";

/** Writes in their order. */
export type History = readonly number[];

/** One history contains the other, or each has writes that the other does not have. */
export function compareHistories(one: History, other: History): Comparison {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) if (one[at] !== other[at]) return "diverged";
  return one.length === other.length ? "same" : one.length < other.length ? "behind" : "ahead";
}

/** What survives the end of a server. */
export interface Volume {
  lineage: string | undefined;
  log: History;
  /** The number of writes at the beginning of the log that were acknowledged to clients, or came from a primary. */
  confirmed: number;
  accounts: MemoryAccounts;
  usedBytes: number;
  sizeBytes: number;
}

/** Accounts of a server: replicas get them with the writes. */
export interface MemoryAccounts {
  readonly operator: readonly string[];
  readonly replication: readonly string[];
  readonly users: ReadonlyMap<string, UserAccount>;
  readonly databases: ReadonlyMap<string, DatabaseAccount>;
}

/** A running server. */
export interface Server {
  readonly member: string;
  readonly address: string;
  readonly version: string;
  readonly volume: Volume;
  acceptsWrites: boolean;
  acknowledgements: number;
  upstream: string | undefined;
  isReceiving: boolean;
  /** The password with which it replicates. */
  login: string;
  /** Neither the operator nor other members reach it; clients do. */
  isCut: boolean;
  isDiverged: boolean;
  readonly settings: Map<string, string>;
  /** The end of the certificate that it serves. */
  certificateEnd: number | undefined;
}

/** How a server starts. */
export interface ServerStart {
  readonly member: string;
  readonly address: string;
  readonly version: string;
  readonly volume: Volume;
  readonly role: "primary" | "replica";
}

/** All servers of a world, by member. */
export class MemoryServers {
  readonly servers: Map<string, Server> = new Map();
  /** Writes that were acknowledged to a client, in their order. */
  readonly acknowledged: number[] = [];
  /** Members that acknowledged the writes. */
  readonly acknowledgedBy: Map<number, string> = new Map();
  #written = 0;

  /** A former primary drops the writes that it alone has; a primary keeps all that it has. */
  start({ member, address, version, volume, role }: ServerStart): void {
    const leads = role === "primary";
    if (!leads) volume.log = volume.log.slice(0, volume.confirmed);
    this.servers.set(member, {
      member,
      address,
      version,
      volume,
      acceptsWrites: leads,
      acknowledgements: leads ? 1 : 0,
      upstream: undefined,
      isReceiving: false,
      login: "",
      isCut: false,
      isDiverged: false,
      settings: new Map(),
      certificateEnd: undefined,
    });
  }

  stop(member: string): void {
    this.servers.delete(member);
  }

  /** The server at an address, if the operator reaches it. */
  at(address: string): Server | undefined {
    return [...this.servers.values()].find((server) => server.address === address && !server.isCut);
  }

  /** A client writes to a member; `undefined` if it is refused. The acknowledgement comes with replication. */
  write(member: string): number | undefined {
    const server = this.servers.get(member);
    if (server === undefined || !server.acceptsWrites) return undefined;
    const id = this.#written++;
    server.volume.log = [...server.volume.log, id];
    this.#acknowledge(server);
    return id;
  }

  /** Each replica that receives gets all that its primary has, and acknowledges it. */
  replicate(): void {
    for (const replica of this.servers.values()) {
      const source = [...this.servers.values()].find(({ member }) => hostIs(replica.upstream, member));
      if (source === undefined || !replica.isReceiving || replica.isCut || source.isCut) continue;
      const place = compareHistories(replica.volume.log, source.volume.log);
      if (place === "ahead" || place === "diverged") {
        replica.isReceiving = false;
        replica.isDiverged = true;
        continue;
      }
      if (!source.volume.accounts.replication.includes(replica.login)) {
        replica.isReceiving = false;
        continue;
      }
      replica.volume.log = source.volume.log;
      replica.volume.accounts = source.volume.accounts;
      replica.volume.confirmed = replica.volume.log.length;
    }
    for (const server of this.servers.values()) this.#acknowledge(server);
  }

  #acknowledge(server: Server): void {
    const { volume, acknowledgements, member } = server;
    const receivers = [...this.servers.values()].filter(
      (other) => other.isReceiving && !other.isCut && !server.isCut && hostIs(other.upstream, member),
    );
    const isStored = (id: number): boolean =>
      receivers.filter(({ volume: { log } }) => log.includes(id)).length >= acknowledgements;
    while (volume.confirmed < volume.log.length) {
      const id = volume.log[volume.confirmed];
      if (id === undefined || !isStored(id)) return;
      volume.confirmed++;
      if (this.acknowledgedBy.has(id)) continue;
      this.acknowledgedBy.set(id, member);
      this.acknowledged.push(id);
    }
  }

  reportOf({ volume, version, upstream, ...server }: Server): MemberReport<History> {
    const role = upstream !== undefined ? "replica" : server.acceptsWrites ? "primary" : "detached";
    return {
      version,
      lineage: volume.lineage,
      role,
      acceptsWrites: server.acceptsWrites,
      received: volume.log,
      applied: volume.log,
      upstream,
      isReceiving: server.isReceiving,
      acknowledgements: server.acknowledgements,
      waitingForAcknowledgement: volume.log.length - volume.confirmed,
      certificateEnd: server.certificateEnd,
      volume: { usedBytes: volume.usedBytes, sizeBytes: volume.sizeBytes },
      ...(server.isDiverged
        ? { replicationError: { code: "Diverged", message: "it has writes that its primary does not have" } }
        : {}),
    };
  }
}
