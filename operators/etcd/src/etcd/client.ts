/** The interface of a client for one etcd member, in the terms of etcd. */
import type { Duplex } from "node:stream";

/** Ids of members and clusters, as etcdctl prints them: lower-case hexadecimal without leading zeros. */
export type Id = string;

/** Timeout and cancellation of a call. */
export interface CallOptions {
  /** Milliseconds until the call fails with `Deadline`. Default: the timeout of the client. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Opens a byte stream to a member: TCP, a forwarded port, a pipe in tests. TLS is added on top. */
export type Dial = (
  target: { readonly host: string; readonly port: number },
  options: { readonly signal?: AbortSignal },
) => Duplex | Promise<Duplex>;

/** Certificates of a client, all PEM. */
export interface TlsMaterial {
  /** One or more certificate authorities. */
  readonly ca: string;
  readonly certificate?: string;
  readonly privateKey?: string;
  /** The name in the member's certificate, if it is not the host of the endpoint. */
  readonly serverName?: string;
}

export interface ConnectOptions {
  /** Client address of one member: `http://host:2379` or `https://host:2379`. */
  readonly endpoint: string;
  /** Required for https. */
  readonly tls?: TlsMaterial;
  /** Name and password. The client requests and renews the token. */
  readonly credentials?: { readonly name: string; readonly password: string };
  /** Default: TCP to the host of the endpoint. */
  readonly dial?: Dial;
  /** Timeout of calls without one. Default: five seconds. */
  readonly timeoutMs?: number;
}

/** One etcd member. Connects on the first call and again after a loss. Disposing closes the connection. */
export interface EtcdClient extends AsyncDisposable {
  readonly endpoint: string;
  readonly members: MemberCalls;
  readonly maintenance: MaintenanceCalls;
  readonly kv: KvCalls;
  readonly leases: LeaseCalls;
  readonly auth: AuthCalls;
  /** Changes of keys from a revision on, until the consumer stops. Fails with `Compacted` if the revision was compacted. */
  watch(options: WatchOptions): AsyncIterable<WatchBatch>;
}

/** A member of the cluster. A member that never started has no name and no client URL. */
export interface Member {
  readonly id: Id;
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly clientURLs: readonly string[];
  readonly isLearner: boolean;
}

/** The membership as one member reports it. */
export interface Membership {
  readonly clusterId: Id;
  /** The member that responded. */
  readonly memberId: Id;
  readonly members: readonly Member[];
}

/** Membership calls. */
export interface MemberCalls {
  /** Linearizable by default: without quorum it fails with `NoLeader`. With `local`, the member responds from its own state. */
  list(options?: CallOptions & { readonly local?: boolean }): Promise<Membership>;
  add(
    options: CallOptions & { readonly peerURLs: readonly string[]; readonly isLearner?: boolean },
  ): Promise<Membership & { readonly added: Member }>;
  promote(id: Id, options?: CallOptions): Promise<Membership>;
  remove(id: Id, options?: CallOptions): Promise<Membership>;
  update(id: Id, options: CallOptions & { readonly peerURLs: readonly string[] }): Promise<void>;
}

/** Status of one member. Fields that etcd 3.5 does not report are undefined. */
export interface EndpointStatus {
  readonly clusterId: Id;
  readonly memberId: Id;
  readonly revision: number;
  /** The version of the program, for example 3.6.16. */
  readonly version: string;
  /** The storage version, for example 3.6.0 (since 3.6). */
  readonly storageVersion?: string;
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  /** Since 3.6. */
  readonly dbSizeQuota?: number;
  /** Undefined if the member knows no leader. */
  readonly leader?: Id;
  readonly isLearner: boolean;
  readonly raftTerm: number;
  readonly raftIndex: number;
  readonly raftAppliedIndex: number;
  /** Errors that etcd reports, for example an alarm or a missing leader. */
  readonly errors: readonly string[];
  /** The target version of a downgrade in progress (since 3.6). */
  readonly downgradeTo?: string;
}

/** Server and cluster version from the member's /version endpoint. */
export interface Versions {
  readonly server: string;
  /** The cluster version; "not_decided" at first. */
  readonly cluster: string;
  readonly storage?: string;
}

/** A hash over the keys up to a revision. Members with equal revision and compaction must have equal hashes. */
export interface HashKv {
  readonly memberId: Id;
  readonly clusterId: Id;
  readonly hash: number;
  readonly revision: number;
  readonly compactRevision: number;
  /** The revision up to which the hash was computed (since 3.6). */
  readonly hashRevision?: number;
}

export interface Alarm {
  readonly memberId: Id;
  readonly kind: "NoSpace" | "Corrupt";
}

/** A snapshot, after its first bytes have arrived. */
export interface SnapshotStream extends AsyncIterable<Buffer> {
  /** Size of the stream, including 32 bytes of checksum. */
  readonly size: number;
  /** The version of the storage format (since 3.6). */
  readonly version?: string;
}

/** Maintenance calls. */
export interface MaintenanceCalls {
  status(options?: CallOptions): Promise<EndpointStatus>;
  versions(options?: CallOptions): Promise<Versions>;
  /** Succeeds when a linearizable read succeeds, which proves quorum. */
  checkHealth(options?: CallOptions): Promise<void>;
  hashKv(options?: CallOptions & { readonly revision?: number }): Promise<HashKv>;
  /** Only the leader accepts it; others fail with `NotLeader`. */
  moveLeader(to: Id, options?: CallOptions): Promise<void>;
  /** Blocks the member while it runs. */
  defragment(options?: CallOptions): Promise<void>;
  alarms(options?: CallOptions): Promise<readonly Alarm[]>;
  disarm(alarm: Alarm, options?: CallOptions): Promise<void>;
  /** The database with etcd's sha256 appended. The timeout covers the whole stream. Default: none. */
  snapshot(options?: CallOptions): Promise<SnapshotStream>;
  /** Prepares a downgrade by one minor version, checks whether it is possible, or cancels it. */
  downgrade(action: "validate" | "enable" | "cancel", version: string, options?: CallOptions): Promise<void>;
}

/** A stored key. */
export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly lease?: Id;
}

type Bytes = string | Uint8Array;

/** Keys: one, those with a prefix, or a range without its end. */
export type Keys = { readonly key: Bytes } | { readonly prefix: Bytes } | { readonly from: Bytes; readonly to: Bytes };

/** What to read. Default: linearizable, at the newest revision. */
export type RangeOptions = Keys & {
  readonly revision?: number;
  readonly limit?: number;
  readonly serializable?: boolean;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
};

/** Result of a read, and the revision of the store. */
export interface RangeAnswer {
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

/** A condition of a transaction. */
export type Compare = { readonly key: Bytes; readonly is: "=" | "<" | ">" } & (
  | { readonly version: number }
  | { readonly createRevision: number }
  | { readonly modRevision: number }
  | { readonly value: Bytes }
);

/** An operation of a transaction. */
export type Operation =
  | { readonly do: "get"; readonly keys: RangeOptions }
  | { readonly do: "put"; readonly key: Bytes; readonly value: Bytes; readonly lease?: Id }
  | { readonly do: "delete"; readonly keys: Keys };

/** Result of an operation. */
export type OperationAnswer =
  | { readonly did: "get"; readonly range: RangeAnswer }
  | { readonly did: "put" }
  | { readonly did: "delete"; readonly deleted: number };

/** Conditions, operations if all hold, and operations otherwise. */
export interface Transaction {
  readonly when: readonly Compare[];
  readonly then?: readonly Operation[];
  readonly otherwise?: readonly Operation[];
}

export interface KvCalls {
  range(keys: RangeOptions, options?: CallOptions): Promise<RangeAnswer>;
  get(key: Bytes, options?: CallOptions): Promise<KeyValue | undefined>;
  put(
    key: Bytes,
    value: Bytes,
    options?: CallOptions & { readonly lease?: Id },
  ): Promise<{ readonly revision: number }>;
  delete(keys: Keys, options?: CallOptions): Promise<{ readonly revision: number; readonly deleted: number }>;
  txn(
    transaction: Transaction,
    options?: CallOptions,
  ): Promise<{
    readonly revision: number;
    readonly succeeded: boolean;
    readonly answers: readonly OperationAnswer[];
  }>;
  /** Compacts older revisions. `physical` waits until they are removed from the database. */
  compact(revision: number, options?: CallOptions & { readonly physical?: boolean }): Promise<void>;
}

/** Leases. */
export interface LeaseCalls {
  grant(ttlSeconds: number, options?: CallOptions): Promise<{ readonly id: Id; readonly ttlSeconds: number }>;
  /** Renews a lease once and returns the new time to live. */
  keepAlive(id: Id, options?: CallOptions): Promise<{ readonly ttlSeconds: number }>;
  revoke(id: Id, options?: CallOptions): Promise<void>;
}

/** A permission of a role. */
export interface Permission {
  readonly allow: "read" | "write" | "readwrite";
  readonly keys: Keys;
}

/** Users, roles, and whether authentication is on. */
export interface AuthCalls {
  isEnabled(options?: CallOptions): Promise<boolean>;
  enable(options?: CallOptions): Promise<void>;
  disable(options?: CallOptions): Promise<void>;
  users(options?: CallOptions): Promise<readonly string[]>;
  rolesOf(user: string, options?: CallOptions): Promise<readonly string[]>;
  /** A user without a password can only authenticate with a certificate of that common name. */
  addUser(user: { readonly name: string; readonly password?: string }, options?: CallOptions): Promise<void>;
  changePassword(user: { readonly name: string; readonly password: string }, options?: CallOptions): Promise<void>;
  removeUser(name: string, options?: CallOptions): Promise<void>;
  grantRole(grant: { readonly user: string; readonly role: string }, options?: CallOptions): Promise<void>;
  revokeRole(grant: { readonly user: string; readonly role: string }, options?: CallOptions): Promise<void>;
  roles(options?: CallOptions): Promise<readonly string[]>;
  addRole(name: string, options?: CallOptions): Promise<void>;
  removeRole(name: string, options?: CallOptions): Promise<void>;
  permissionsOf(role: string, options?: CallOptions): Promise<readonly Permission[]>;
  allow(role: string, permission: Permission, options?: CallOptions): Promise<void>;
  forbid(role: string, keys: Keys, options?: CallOptions): Promise<void>;
}

export type WatchOptions = Keys & {
  readonly fromRevision?: number;
  readonly signal?: AbortSignal;
};

/** Changes of one revision or a few. */
export interface WatchBatch {
  readonly revision: number;
  readonly events: readonly { readonly type: "put" | "delete"; readonly kv: KeyValue }[];
}
