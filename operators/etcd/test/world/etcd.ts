/** A scripted etcd: members that respond like etcd as long as their pods run. No raft, but its rules of membership and quorum. */
import type {
  Alarm,
  CallOptions,
  ConnectOptions,
  EndpointStatus,
  EtcdClient,
  EtcdErrorCode,
  Member,
  Membership,
} from "../../src/etcd/index.ts";
import { EtcdError } from "../../src/etcd/index.ts";
import { guarded, ScriptedAuth } from "./etcd-auth.ts";

/** The data on a volume: the ids of its member and its cluster. */
export interface Disk {
  memberId: string;
  clusterId: string;
  isBroken: boolean;
}

/** The hash that a process kept of a compaction: of its data at that time, counted from the compaction before. */
interface Kept {
  readonly revision: number;
  readonly compactRevision: number;
  readonly hash: number;
}

/** A process: started by a pod, on a disk. */
export interface Process {
  readonly name: string;
  readonly address: string;
  readonly version: string;
  readonly disk: Disk;
  /** Lost with the process and never replicated: a member that joined by a snapshot has none. */
  readonly kept: Kept[];
}

interface Cluster {
  readonly id: string;
  members: Member[];
  leader: string | undefined;
  alarms: Alarm[];
  revision: number;
  /** The revision of the last compaction; -1 without one. */
  compacted: number;
  raftIndex: number;
}

/** The member compares its data with that of the others before it serves. */
function isChecked(flags: ReadonlyMap<string, string>): boolean {
  const isGated = flags.get("feature-gates")?.includes("InitialCorruptCheck=true") === true;
  return isGated || flags.get("experimental-initial-corrupt-check") === "true";
}

/** All clusters and processes of a test. */
export class ScriptedEtcd {
  readonly processes = new Map<string, Process>();
  readonly clusters = new Map<string, Cluster>();
  /** Addresses that the operator cannot reach; "*" for all. */
  readonly cut = new Set<string>();
  /** Hashes of members with wrong data, by name. */
  readonly hashes = new Map<string, number>();
  /** Members that do not report the hash of their data. */
  readonly mute = new Set<string>();
  /** Members that see no leader. */
  readonly deaf = new Set<string>();
  /** How often any member was asked for its hash. */
  hashed = 0;
  /** What members of a version add to their hashes. */
  readonly dialects = new Map<string, number>();
  /** The error of every change, if members reject changes. */
  refusal: EtcdErrorCode | undefined;
  /** Called after a member has reported the hash of its data. */
  duringHash: (member: string) => void = () => undefined;
  /** Learners never catch up. */
  isSlow = false;
  /** The calls that changed something, in order. */
  readonly log: string[] = [];
  /** Users and roles: the same for all clusters of a test, which has one. */
  readonly auth = new ScriptedAuth();
  readonly #births = new Map<string, { readonly id: string; readonly memberId: string }>();
  #serial = 0;

  /** Starts a process like etcd with these flags; returns the error, if it fails. */
  start(
    flags: ReadonlyMap<string, string>,
    options: { disk: Disk | undefined; address: string; version: string },
  ): Disk | string {
    const name = flags.get("name") ?? "";
    if (flags.has("no-such-flag")) return "flag provided but not defined: -no-such-flag";
    const disk = options.disk?.clusterId === "" ? undefined : options.disk;
    if (disk?.isBroken === true) return "the log is damaged";
    const found = disk === undefined ? this.#begin(flags) : this.#check(flags, disk);
    if (typeof found === "string") return found;
    const cluster = this.clusters.get(found.clusterId);
    if (cluster === undefined) return "no such cluster";
    const member = cluster.members.find(({ id }) => id === found.memberId);
    const isAlone = flags.get("force-new-cluster") === "true";
    if (isAlone && member?.isLearner === true) return "removed all voters";
    if (isAlone) this.#goAlone(cluster, found.memberId);
    if (member === undefined) return "the member has been permanently removed from the cluster";
    cluster.members = cluster.members.map((one) => (one === member ? { ...one, name } : one));
    this.processes.set(name, { name, address: options.address, version: options.version, disk: found, kept: [] });
    this.#elect(cluster);
    return found;
  }

  /** Creates the data of a first member from a backup, like etcdutl with these flags. */
  restore(flags: ReadonlyMap<string, string>, revision: number): Disk {
    const disk = this.#beginAnew(flags);
    const cluster = this.clusters.get(disk.clusterId);
    if (cluster !== undefined) cluster.revision = revision + Number(flags.get("bump-revision") ?? 0);
    return disk;
  }

  /** Compacts all clusters at their newest revisions, as in clusters without writes. */
  compact(): void {
    for (const cluster of this.clusters.values()) this.#compact(cluster, cluster.revision);
  }

  stop(name: string): void {
    this.processes.delete(name);
    for (const cluster of this.clusters.values()) this.#elect(cluster);
  }

  /** A client of the process at the address. */
  readonly connect = (options: ConnectOptions): EtcdClient => {
    const address = new URL(options.endpoint).hostname;
    const refuse = (code: EtcdErrorCode, why: string): never => {
      throw new EtcdError(code, why, { endpoint: options.endpoint, maybeDone: false });
    };
    const process = (): Process => {
      if (this.cut.has(address) || this.cut.has("*")) refuse("Unreachable", "no route");
      return [...this.processes.values()].find((one) => one.address === address) ?? refuse("Unreachable", "refused");
    };
    const cluster = (): Cluster => this.clusters.get(process().disk.clusterId) ?? refuse("Other", "no cluster");
    const led = (): Cluster => (this.hasQuorum(cluster()) ? cluster() : refuse("NoLeader", "no leader"));
    const membership = (): Membership => ({
      clusterId: cluster().id,
      memberId: process().disk.memberId,
      members: cluster().members,
    });
    // In all versions from 3.5 to 3.7.
    const refuseLearner = (): void => {
      const isMeant = ({ id, isLearner }: Member): boolean => isLearner && id === process().disk.memberId;
      if (cluster().members.some(isMeant)) refuse("IsLearner", "rpc not supported for learner");
    };
    const change = async (what: string, run: (of: Cluster) => void): Promise<Membership> => {
      const of = led();
      if (this.refusal !== undefined) refuse(this.refusal, "not now");
      run(of);
      this.log.push(what);
      this.#elect(of);
      return membership();
    };
    const find = (of: Cluster, id: string): Member =>
      of.members.find((one) => one.id === id) ?? refuse("MemberNotFound", "no such member");
    const client: Pick<EtcdClient, "endpoint" | "members" | "maintenance" | "kv" | "leases"> = {
      endpoint: options.endpoint,
      members: {
        list: async (how: CallOptions & { local?: boolean } = {}) =>
          how.local === true ? (refuseLearner(), membership()) : (led(), membership()),
        add: async ({ peerURLs, isLearner = false }) => {
          const added: Member = { id: this.#id("m"), name: "", peerURLs, clientURLs: [], isLearner };
          const answer = await change(`add ${peerURLs[0]}`, (of) => {
            if (of.members.some((one) => one.isLearner)) refuse("TooManyLearners", "one learner at a time");
            if (of.members.some((one) => one.peerURLs[0] === peerURLs[0])) refuse("MemberExists", "it exists");
            of.members = [...of.members, added];
          });
          return { ...answer, added };
        },
        promote: (id) =>
          change(`promote ${id}`, (of) => {
            const member = find(of, id);
            if (this.isSlow || !this.processes.has(member.name)) refuse("LearnerNotReady", "it is not in sync");
            of.members = of.members.map((one) => (one === member ? { ...one, isLearner: false } : one));
          }),
        remove: (id) =>
          change(`remove ${id}`, (of) => {
            const member = find(of, id);
            of.members = of.members.filter((one) => one !== member);
            this.processes.delete(member.name);
          }),
        update: async () => refuse("Unsupported", "not scripted"),
      },
      maintenance: {
        status: async () => this.#status(process(), cluster()),
        versions: async () => ({ server: process().version, cluster: this.#clusterVersion(cluster()) }),
        checkHealth: async () => void led(),
        hashKv: async ({ revision: asked = 0 } = {}) => {
          this.hashed++;
          refuseLearner();
          if (this.mute.has(process().name)) refuse("Unreachable", "it takes too long");
          const { id, revision, compacted } = cluster();
          const kept = process().kept.find((one) => one.revision === asked);
          if (kept === undefined && asked > 0 && asked < compacted) refuse("Compacted", "it is forgotten");
          if (asked > revision) refuse("FutureRevision", "it has yet to come");
          const fresh = { hash: this.#hashOf(process(), compacted), compactRevision: compacted };
          const { hash, compactRevision } = kept ?? fresh;
          this.duringHash(process().name);
          return { memberId: process().disk.memberId, clusterId: id, hash, revision, compactRevision };
        },
        moveLeader: async (to) => {
          led().leader = to;
          this.log.push(`lead ${to}`);
        },
        defragment: async () => void this.log.push(`defragment ${process().name}`),
        alarms: async () => led().alarms,
        disarm: async (alarm) => {
          led().alarms = led().alarms.filter((one) => one.memberId !== alarm.memberId || one.kind !== alarm.kind);
        },
        snapshot: async () => refuse("Unsupported", "not scripted"),
        downgrade: async () => refuse("Unsupported", "not scripted"),
      },
      leases: {
        grant: async (ttlSeconds) => ({ id: String(led().raftIndex++), ttlSeconds }),
        keepAlive: async () => refuse("Unsupported", "not scripted"),
        revoke: async () => void led().raftIndex++,
      },
      kv: {
        range: async () => refuse("Unsupported", "not scripted"),
        get: async () => refuse("Unsupported", "not scripted"),
        put: async (key) => {
          this.log.push(`put ${String(key)}`);
          return { revision: ++led().revision };
        },
        delete: async () => refuse("Unsupported", "not scripted"),
        txn: async () => refuse("Unsupported", "not scripted"),
        compact: async (revision) => this.#compact(led(), revision),
      },
    };
    // A call fails first if there is no process, and then if the user lacks the right.
    const guard = (call: string): void => (process(), this.auth.admit(options, call));
    return Object.assign(Object.create(null), client, {
      members: guarded(client.members, guard),
      maintenance: guarded(client.maintenance, guard),
      leases: guarded(client.leases, guard),
      kv: guarded(client.kv, guard),
      auth: guarded(this.auth.callsOf(options), () => void led()),
      [Symbol.asyncDispose]: async () => undefined,
    }) as EtcdClient;
  };

  /** More than half of the voters run. */
  hasQuorum({ members, id }: Pick<Cluster, "members" | "id">): boolean {
    const voters = members.filter(({ isLearner }) => !isLearner);
    return voters.filter((member) => this.#runs(member, id)).length > voters.length / 2;
  }

  #runs(member: Member, clusterId: string): boolean {
    const process = this.processes.get(member.name);
    return process !== undefined && process.disk.memberId === member.id && process.disk.clusterId === clusterId;
  }

  /** An empty data directory: a new cluster, a place in an existing one, or an error. */
  #begin(flags: ReadonlyMap<string, string>): Disk | string {
    const own = flags.get("initial-advertise-peer-urls") ?? "";
    if (flags.get("initial-cluster-state") === "new") return this.#beginAnew(flags);
    const peers = (flags.get("initial-cluster") ?? "").split(",").map((entry) => entry.slice(entry.indexOf("=") + 1));
    const others = new Set(peers.filter((peer) => peer !== own));
    const cluster = [...this.clusters.values()].find(
      (one) =>
        this.hasQuorum(one) &&
        one.members.some((member) => others.has(member.peerURLs[0] ?? "") && this.#runs(member, one.id)),
    );
    const member = cluster?.members.find(({ peerURLs }) => peerURLs[0] === own);
    if (cluster === undefined || member === undefined) return "cannot fetch cluster info from peer urls";
    if (member.name !== "") throw new Error(`${member.name} votes again without its memory`);
    const leader = cluster.members.find(({ id }) => id === cluster.leader)?.name ?? "";
    const copied = this.hashes.get(leader);
    if (copied !== undefined) this.hashes.set(flags.get("name") ?? "", copied);
    return { memberId: member.id, clusterId: cluster.id, isBroken: false };
  }

  /**
   * A new cluster. Its ids follow from the flags, as in etcd: a second bootstrap with the same flags gives the same ids, without the
   * data.
   */
  #beginAnew(flags: ReadonlyMap<string, string>): Disk {
    const own = flags.get("initial-advertise-peer-urls") ?? "";
    const birth = [flags.get("initial-cluster-token"), flags.get("initial-cluster")].join(" ");
    const { id, memberId } = this.#births.get(birth) ?? { id: this.#id("c"), memberId: this.#id("m") };
    this.#births.set(birth, { id, memberId });
    if ((this.clusters.get(id)?.members.length ?? 0) > 1) throw new Error("two clusters with one identity");
    const member: Member = { id: memberId, name: "", peerURLs: [own], clientURLs: [], isLearner: false };
    const beginning = { leader: undefined, alarms: [], revision: 1, compacted: -1, raftIndex: 10 };
    this.clusters.set(id, { id, members: [member], ...beginning });
    this.log.push(`new cluster ${id}`);
    return { memberId: member.id, clusterId: id, isBroken: false };
  }

  /** A member with data compares it with every member that responds, if its flags say so. */
  #check(flags: ReadonlyMap<string, string>, disk: Disk): Disk | string {
    const name = flags.get("name") ?? "";
    const others = [...this.processes.values()].filter(
      (one) => one.name !== name && one.disk.clusterId === disk.clusterId,
    );
    const differs = others.some((other) => (this.hashes.get(other.name) ?? 1) !== (this.hashes.get(name) ?? 1));
    return differs && isChecked(flags) ? "found data inconsistency with peers" : disk;
  }

  /** Compacted revisions are not part of a hash: the same data has another hash after another compaction. */
  #hashOf({ name, version }: Process, compacted: number): number {
    return (this.hashes.get(name) ?? 1) + (this.dialects.get(version) ?? 0) + compacted * 1_000;
  }

  /** Every running process keeps the hash of what was compacted. */
  #compact(cluster: Cluster, revision: number): void {
    const before = cluster.compacted;
    if (revision <= before) return;
    for (const process of this.processes.values())
      if (process.disk.clusterId === cluster.id)
        process.kept.push({ revision, compactRevision: before, hash: this.#hashOf(process, before) });
    cluster.compacted = revision;
  }

  #goAlone(cluster: Cluster, memberId: string): void {
    const others = [...this.processes.values()].filter(
      ({ disk }) => disk.clusterId === cluster.id && disk.memberId !== memberId,
    );
    if (others.length > 0) throw new Error("two clusters with one identity");
    cluster.members = cluster.members.filter(({ id }) => id === memberId);
    this.log.push(`alone ${memberId}`);
  }

  #elect(cluster: Cluster): void {
    const voters = cluster.members.filter((member) => !member.isLearner && this.#runs(member, cluster.id));
    if (!this.hasQuorum(cluster)) cluster.leader = undefined;
    else if (!voters.some(({ id }) => id === cluster.leader)) cluster.leader = voters[0]?.id;
  }

  #status({ disk, version, name }: Process, cluster: Cluster): EndpointStatus {
    const member = cluster.members.find(({ id }) => id === disk.memberId);
    return {
      clusterId: cluster.id,
      memberId: disk.memberId,
      revision: cluster.revision,
      version,
      dbSize: 20_000,
      dbSizeInUse: 20_000,
      isLearner: member?.isLearner === true,
      raftTerm: 2,
      raftIndex: cluster.raftIndex,
      raftAppliedIndex: cluster.raftIndex,
      errors: [],
      ...(cluster.leader === undefined || this.deaf.has(name) ? {} : { leader: cluster.leader }),
    };
  }

  #clusterVersion({ members }: Cluster): string {
    const versions = members.flatMap(({ name }) => this.processes.get(name)?.version ?? []);
    const minors = versions.map((version) => Number(version.split(".")[1]));
    return `3.${Math.min(...minors)}.0`;
  }

  #id(prefix: string): string {
    return `${prefix === "c" ? "c" : "a"}${(++this.#serial).toString(16)}`;
  }
}
