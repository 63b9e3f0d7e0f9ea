/** What can be asked of one etcd member: the client's interface, in the words of etcd. */
import type { Duplex } from "node:stream";

/** Ids of members and clusters, as etcdctl prints them: lower-case hexadecimal without leading zeros. */
export type Id = string;

/** How long a call may take and who may end it. */
export interface CallOptions {
  /** Milliseconds until the call fails with `Deadline`; the client's own limit if left out. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Opens a byte stream to a member: TCP, a forwarded port, a test's pipe. TLS is laid on top of it. */
export type Dial = (
  target: { readonly host: string; readonly port: number },
  options: { readonly signal?: AbortSignal },
) => Duplex | Promise<Duplex>;

/** What a client shows and trusts, all PEM. */
export interface TlsMaterial {
  /** One or more authorities. */
  readonly ca: string;
  readonly certificate?: string;
  readonly privateKey?: string;
  /** The name that the member's certificate must carry, if it is not the host of the address. */
  readonly serverName?: string;
}

/** How to reach and greet a member. */
export interface ConnectOptions {
  /** Client address of one member: `http://host:2379` or `https://host:2379`. */
  readonly endpoint: string;
  /** Needed for https. */
  readonly tls?: TlsMaterial;
  /** Name and password; the token is fetched and renewed by the client. */
  readonly credentials?: { readonly name: string; readonly password: string };
  /** TCP to the host of the endpoint, if left out. */
  readonly dial?: Dial;
  /** Limit of calls that name none; five seconds if left out. */
  readonly timeoutMs?: number;
}

/** One etcd member. It connects when first asked and again after a loss; disposing it closes the connection. */
export interface EtcdClient extends AsyncDisposable {
  readonly endpoint: string;
  readonly members: MemberCalls;
  readonly maintenance: MaintenanceCalls;
  readonly kv: KvCalls;
  readonly leases: LeaseCalls;
  readonly auth: AuthCalls;
  /** Changes of keys from a revision on, until the consumer stops; fails with `Compacted` if the revision is gone. */
  watch(options: WatchOptions): AsyncIterable<WatchBatch>;
}

/** A member as the cluster knows it. A member that never started has no name and no client address. */
export interface Member {
  readonly id: Id;
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly clientURLs: readonly string[];
  readonly isLearner: boolean;
}

/** The membership as one member answered it. */
export interface Membership {
  readonly clusterId: Id;
  /** The member that answered. */
  readonly memberId: Id;
  readonly members: readonly Member[];
}

/** Who is in the cluster. */
export interface MemberCalls {
  /** Linearizable unless told otherwise: without quorum it fails with `NoLeader`; `local` asks only this member's memory. */
  list(options?: CallOptions & { readonly local?: boolean }): Promise<Membership>;
  add(
    options: CallOptions & { readonly peerURLs: readonly string[]; readonly isLearner?: boolean },
  ): Promise<Membership & { readonly added: Member }>;
  promote(id: Id, options?: CallOptions): Promise<Membership>;
  remove(id: Id, options?: CallOptions): Promise<Membership>;
  update(id: Id, options: CallOptions & { readonly peerURLs: readonly string[] }): Promise<void>;
}

/** How one member is. Numbers that etcd 3.5 does not tell are undefined. */
export interface EndpointStatus {
  readonly clusterId: Id;
  readonly memberId: Id;
  readonly revision: number;
  /** The version of the program, such as 3.6.16. */
  readonly version: string;
  /** The version of the stored data, such as 3.6.0 (from 3.6 on). */
  readonly storageVersion?: string;
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  /** From 3.6 on. */
  readonly dbSizeQuota?: number;
  /** Undefined when the member knows no leader. */
  readonly leader?: Id;
  readonly isLearner: boolean;
  readonly raftTerm: number;
  readonly raftIndex: number;
  readonly raftAppliedIndex: number;
  /** What etcd complains of, such as a raised alarm or a missing leader. */
  readonly errors: readonly string[];
  /** The version to which a downgrade is under way (from 3.6 on). */
  readonly downgradeTo?: string;
}

/** Program and cluster version, as the member's /version page tells. */
export interface Versions {
  readonly server: string;
  /** The version that the cluster speaks; "not_decided" in the first moments. */
  readonly cluster: string;
  readonly storage?: string;
}

/** A hash over the stored keys up to a revision: members that agree on revision and compaction must agree on it. */
export interface HashKv {
  readonly memberId: Id;
  readonly clusterId: Id;
  readonly hash: number;
  readonly revision: number;
  readonly compactRevision: number;
  /** The revision up to which the hash was computed (told from 3.6 on). */
  readonly hashRevision?: number;
}

/** An alarm that a member has raised. */
export interface Alarm {
  readonly memberId: Id;
  readonly kind: "NoSpace" | "Corrupt";
}

/** What a snapshot is when its first bytes arrive. */
export interface SnapshotStream extends AsyncIterable<Buffer> {
  /** Size of the whole stream with its 32 bytes of checksum. */
  readonly size: number;
  /** The version whose storage format the data has, as told from 3.6 on. */
  readonly version?: string;
}

/** What keeps a member well. */
export interface MaintenanceCalls {
  status(options?: CallOptions): Promise<EndpointStatus>;
  versions(options?: CallOptions): Promise<Versions>;
  /** Succeeds when a linearizable read succeeds, which proves quorum. */
  checkHealth(options?: CallOptions): Promise<void>;
  hashKv(options?: CallOptions & { readonly revision?: number }): Promise<HashKv>;
  /** Only the leader obeys; others answer `NotLeader`. */
  moveLeader(to: Id, options?: CallOptions): Promise<void>;
  /** Blocks the member while it runs. */
  defragment(options?: CallOptions): Promise<void>;
  alarms(options?: CallOptions): Promise<readonly Alarm[]>;
  disarm(alarm: Alarm, options?: CallOptions): Promise<void>;
  /** The database with etcd's sha256 appended. The limit of time is for the whole stream; none if left out. */
  snapshot(options?: CallOptions): Promise<SnapshotStream>;
  /** Prepares for going back one minor version, asks whether that would be possible, or calls it off. */
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

/** Which keys: one, those with a prefix, or from one up to another (not included). */
export type Keys = { readonly key: Bytes } | { readonly prefix: Bytes } | { readonly from: Bytes; readonly to: Bytes };

/** What to read. Linearizable and at the newest revision if nothing else is said. */
export type RangeOptions = Keys & {
  readonly revision?: number;
  readonly limit?: number;
  readonly serializable?: boolean;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
};

/** What a read found, and the store's revision then. */
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

/** A step of a transaction. */
export type Operation =
  | { readonly do: "get"; readonly keys: RangeOptions }
  | { readonly do: "put"; readonly key: Bytes; readonly value: Bytes; readonly lease?: Id }
  | { readonly do: "delete"; readonly keys: Keys };

/** What each step answered. */
export type OperationAnswer =
  | { readonly did: "get"; readonly range: RangeAnswer }
  | { readonly did: "put" }
  | { readonly did: "delete"; readonly deleted: number };

/** Conditions, what to do when all hold, what otherwise. */
export interface Transaction {
  readonly when: readonly Compare[];
  readonly then?: readonly Operation[];
  readonly otherwise?: readonly Operation[];
}

/** Reading and writing keys. */
export interface KvCalls {
  range(keys: RangeOptions, options?: CallOptions): Promise<RangeAnswer>;
  /** One key, or undefined. */
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
  /** Forgets what is older; `physical` waits until it is off the database. */
  compact(revision: number, options?: CallOptions & { readonly physical?: boolean }): Promise<void>;
}

/** Keys that go away by themselves. */
export interface LeaseCalls {
  grant(ttlSeconds: number, options?: CallOptions): Promise<{ readonly id: Id; readonly ttlSeconds: number }>;
  /** Prolongs it once; the answer is the new time to live. */
  keepAlive(id: Id, options?: CallOptions): Promise<{ readonly ttlSeconds: number }>;
  revoke(id: Id, options?: CallOptions): Promise<void>;
}

/** What a role may do. */
export interface Permission {
  readonly allow: "read" | "write" | "readwrite";
  readonly keys: Keys;
}

/** Users, roles, and whether anybody asks for them. */
export interface AuthCalls {
  isEnabled(options?: CallOptions): Promise<boolean>;
  enable(options?: CallOptions): Promise<void>;
  disable(options?: CallOptions): Promise<void>;
  users(options?: CallOptions): Promise<readonly string[]>;
  rolesOf(user: string, options?: CallOptions): Promise<readonly string[]>;
  /** Without a password the user can only come with a certificate of that common name. */
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

/** What to watch. */
export type WatchOptions = Keys & {
  readonly fromRevision?: number;
  readonly signal?: AbortSignal;
};

/** Changes of one revision or a few. */
export interface WatchBatch {
  readonly revision: number;
  readonly events: readonly { readonly type: "put" | "delete"; readonly kv: KeyValue }[];
}
