/** The application adapter: how one database is asked and told. It knows no Kubernetes and keeps no state. */
import type { Duplex } from "node:stream";
import type { Accounts } from "./accounts/accounts.ts";

/**
 * What a member reports about itself. `P` is a position in the history of writes, such as a set of GTIDs.
 *
 * @example
 * const lag = ({ received, applied }: MemberReport<number>) => received - applied;
 */
export interface MemberReport<P> {
  readonly version: string;
  /** The identity of the data. Data of another lineage is never mixed with ours. Undefined: the member has none yet. */
  readonly lineage: string | undefined;
  /** `detached`: it neither replicates nor accepts writes. */
  readonly role: "primary" | "replica" | "detached";
  readonly acceptsWrites: boolean;
  /** The newest position that the member has stored, applied or not: what counts in a failover. */
  readonly received: P;
  readonly applied: P;
  /** The host that it replicates from. */
  readonly upstream?: string | undefined;
  /** Whether it receives writes now, and so may acknowledge them. */
  readonly isReceiving: boolean;
  /** Replicas that must store a write before the client of this member hears of it. */
  readonly acknowledgements: number;
  /** Clients whose writes wait for an acknowledgement. */
  readonly waitingForAcknowledgement: number;
  /** When the certificate ends that the member serves, in milliseconds since 1970; undefined: it serves none. */
  readonly certificateEnd?: number | undefined;
  /** How full the data volume is; undefined: it is not known. */
  readonly volume?: { readonly usedBytes: number; readonly sizeBytes: number } | undefined;
  /** Why replication stopped. `Diverged`: the member has writes that its upstream does not have, or misses writes that are gone. */
  readonly replicationError?: { readonly code: "Diverged" | "Failed"; readonly message: string } | undefined;
}

/**
 * Two positions: equal, one contains the other, or each has writes that the other does not have.
 *
 * @example
 * const compare = (one: number, other: number): Comparison => (one === other ? "same" : one < other ? "behind" : "ahead");
 */
export type Comparison = "same" | "behind" | "ahead" | "diverged";

/**
 * Where a replica finds its primary.
 *
 * @example
 * const follow = ({ host, port }: Upstream) => `REPLICATE FROM ${host}:${port}`;
 */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** Path of the file with the trusted authorities; undefined without TLS. */
  readonly authority?: string | undefined;
}

/**
 * The topology in which the operator decides which member is the primary.
 *
 * @example
 * const acknowledgements: PrimaryAndReplicas<AsyncDisposable, bigint>["acknowledgements"] = (size) => (size > 1 ? 1 : 0);
 */
export interface PrimaryAndReplicas<C, P> {
  /** Compares the first position with the second. */
  readonly compare: (one: P, other: P) => Comparison;
  /** How many replicas store a write before its client hears of it, in a cluster of this size. */
  readonly acknowledgements: (size: number) => number;
  /** Stops a replica from receiving, so that its primary gets no acknowledgement from it. Returns when that is certain. */
  readonly fence: (replica: C) => Promise<void>;
  /** Stops writes of clients and ends their connections. Returns when no write is under way. */
  readonly freeze: (primary: C) => Promise<void>;
  /** Waits until a replica has applied a position, at most for a few seconds. */
  readonly waitFor: (replica: C, position: P) => Promise<void>;
  /** Makes a member the primary: it follows no other, waits for acknowledgements as told, and accepts writes. Repeatable. */
  readonly promote: (member: C, options: { readonly acknowledgements: number }) => Promise<void>;
  /** Changes how many acknowledgements a primary waits for. */
  readonly setAcknowledgements: (primary: C, count: number) => Promise<void>;
  /** Makes a member a replica that continues from its own position. Repeatable. */
  readonly follow: (member: C, upstream: Upstream) => Promise<void>;
}

/**
 * Where and how a client connects.
 *
 * @example
 * const urlOf = ({ address, port }: ConnectTarget) => `tcp://${address}:${port}`;
 */
export interface ConnectTarget {
  readonly host: string;
  /** The address to dial, if it differs from the host. */
  readonly address: string;
  readonly port: number;
  readonly password: string;
  /** Trusted authorities in PEM; undefined without TLS. */
  readonly authority?: string | undefined;
  /** Opens a connection by other means than the network of this process. */
  readonly dial?: Dial | undefined;
  readonly timeoutMs: number;
}

/**
 * Opens a byte stream to an address.
 *
 * @example
 * const refuse: Dial = async ({ host }) => {
 *   throw new Error(`${host} is not reachable from here`);
 * };
 */
export type Dial = (
  to: { readonly host: string; readonly port: number },
  options: { readonly signal?: AbortSignal },
) => Promise<Duplex>;

/**
 * The input of a member's pod.
 *
 * @example
 * const idOf = ({ serial }: MemberInput) => serial + 1;
 */
export interface MemberInput {
  readonly cluster: string;
  readonly member: string;
  readonly serial: number;
  readonly version: string;
  /** Where the data volume is mounted. */
  readonly dataPath: string;
  /** Where certificates are mounted (`tls.crt`, `tls.key`, `ca.crt`); undefined without TLS. */
  readonly tlsPath?: string | undefined;
  readonly memoryBytes: number;
  /** Settings of the spec that need a restart or hold from the start. */
  readonly settings: { readonly [name: string]: string };
}

/**
 * The programs of a member. Both scripts run in a shell with these variables: `BOOT` (`create`, `clone`, `run`), `ROLE` (`primary`,
 * `replica`), `DONORS` (hosts with spaces between them), `AUTHORITY` (the file with the authorities by which donors are verified; empty:
 * they have no TLS), `LINEAGE`, `OPERATOR_PASSWORD`, `REPLICATION_PASSWORD`. `BOOT` and `ROLE` are
 * read at each start of a container. With `BOOT=create`, `SEED` is the folder with given data, if there is any: `content` is a copy as
 * `dump` writes it, or given by the user, and `log/` has pieces of the log to replay in the order of their names (`NAME.data`, and
 * `NAME.to` with the position at its end) until `UNTIL_POSITION` or `UNTIL_TIME`. Instead of `content`, `SEED_HOST`, `SEED_PORT`,
 * `SEED_USER` and `SEED_PASSWORD` can name a running server to copy.
 *
 * @example
 * const program: MemberProgram = {
 *   user: 999,
 *   prepare: "test -d /data/db || create-data /data/db",
 *   start: "exec server --data /data/db",
 *   probe: ["server-ping"],
 * };
 */
export interface MemberProgram {
  readonly user: number;
  /** Makes sure that the volume has data: creates it, clones it from a donor, or fails with `run` if there is none. Repeatable. */
  readonly prepare: string;
  /** Starts the server. */
  readonly start: string;
  /** The command of the readiness and liveness probe. */
  readonly probe: readonly string[];
}

/**
 * How a setting takes effect. `operator`: the operator owns it, and the spec may not have it.
 *
 * @example
 * const classOf = (name: string): SettingClass => (name === "max_connections" ? "live" : "restart");
 */
export type SettingClass = "live" | "restart" | "creation" | "operator";

/**
 * Settings of the application by class, and how live ones are changed.
 *
 * @example
 * const settings: Pick<Settings<AsyncDisposable>, "sized"> = {
 *   sized: (memoryBytes) => ({ cache_size: String(Math.floor(memoryBytes / 2)) }),
 * };
 */
export interface Settings<C> {
  readonly classOf: (name: string) => SettingClass;
  /** Settings that follow from the memory of a member. The spec's win. */
  readonly sized: (memoryBytes: number) => { readonly [name: string]: string };
  /** Sets a live setting, and returns the value that the member has then. */
  readonly set: (client: C, name: string, value: string) => Promise<string>;
}

/**
 * Reads a copy of all data line by line, as the dump program writes it.
 *
 * @example
 * const scanner = (): CopyScanner => ({ isRow: (line) => line.startsWith("row "), position: () => "1" });
 */
export interface CopyScanner {
  /** Whether the line holds rows; it gets the first 512 characters of each line. Rows of a trial restore are compared with these. */
  readonly isRow: (line: string) => boolean;
  /** The position of the copy, after its last line; undefined if the copy is not complete. */
  readonly position: () => string | undefined;
}

/**
 * A piece of the log of writes that a member can hand out.
 *
 * @example
 * const isEmpty = ({ from, to }: LogPiece) => from === to;
 */
export interface LogPiece {
  /** The positions before the first write of the piece, and after its last. */
  readonly from: string;
  readonly to: string;
  /** What the script `fetch` gets as `PIECE`. */
  readonly piece: string;
}

/**
 * How copies of the data are made. Scripts run in the image of the server, as user of the server, with `/scratch` as a folder for their
 * use, and have `HOST`, `PORT`, `AUTHORITY`, `OPERATOR_PASSWORD` and `REPLICATION_PASSWORD`.
 *
 * @example
 * const isComplete = <C, P>({ scan }: Backups<C, P>) => scan().position() !== undefined;
 */
export interface Backups<C, P> {
  readonly formatPosition: (position: P) => string;
  readonly parsePosition: (text: string) => P;
  /** Writes a consistent copy of all data of the member to standard output. */
  readonly dump: string;
  readonly scan: () => CopyScanner;
  /** Loads the copy in the file `$SEED/content` into a server in `/scratch`, and writes a copy of that to standard output. */
  readonly trial: string;
  /** The continuous log, for restores to a point in time. Left out: there is none. */
  readonly log?: {
    /** The position of the primary, and its time. */
    readonly mark: (primary: C) => Promise<{ readonly position: P; readonly time: string }>;
    /** Closes the present piece of a member, and names all that comes after a position; undefined if a part of it is gone. */
    readonly next: (member: C, archived: P) => Promise<LogPiece | undefined>;
    /** Writes the piece `PIECE` of the member to standard output. */
    readonly fetch: string;
  };
}

/**
 * An application that runs as a primary with replicas.
 *
 * @example
 * const nameOf = <C extends AsyncDisposable, P>({ name }: Application<C, P>) => name;
 */
export interface Application<C extends AsyncDisposable, P> {
  /** Such as `mariadb`: the name of containers and in labels. */
  readonly name: string;
  readonly port: number;
  /** The default image, with `{version}` in it. */
  readonly image: string;
  readonly connect: (target: ConnectTarget) => Promise<C>;
  readonly report: (client: C) => Promise<MemberReport<P>>;
  readonly topology: PrimaryAndReplicas<C, P>;
  readonly member: (input: MemberInput) => MemberProgram;
  readonly settings: Settings<C>;
  /**
   * Members serve TLS with the files in `tlsPath`, load them again without a restart when they change, and report `certificateEnd`.
   * Left out: the application has no TLS.
   */
  readonly hasTls?: boolean;
  /** Left out: the spec has no users and databases, and passwords are not rotated. */
  readonly accounts?: Accounts<C>;
  /** Left out: the kinds for backups and restores do not exist. */
  readonly backups?: Backups<C, P>;
  readonly versions: {
    /** Releases that this adapter was tested with, oldest first. */
    readonly known: readonly string[];
    /** Whether data of one release can be used by another. */
    readonly canGo: (from: string, to: string) => boolean;
  };
}

/**
 * Declares an application: infers its types and returns it.
 *
 * @example
 * const withImage = <C extends AsyncDisposable, P>(definition: Application<C, P>, image: string) =>
 *   application({ ...definition, image });
 */
export function application<C extends AsyncDisposable, P>(definition: Application<C, P>): Application<C, P> {
  return definition;
}

/**
 * How many followers must be heard and fenced before another member may lead. With fewer, the old primary may still complete a write, and
 * a write that a client heard of may be on a follower that is not heard.
 *
 * @example
 * // Of two followers, one has each acknowledged write: only both together are sure to have all.
 * assert.equal(fencedFollowersNeeded(2, 1), 2);
 */
export function fencedFollowersNeeded(followers: number, acknowledgements: number): number {
  return followers - acknowledgements + 1;
}
