/** The pods that make, describe and verify backups, and the parts of a member's pod that restore one. */
import type { ApplyOf, ObjectOf } from "capstan";
import type { Pod } from "capstan/kinds/v1";
import { compareVersions } from "../decide/index.ts";
import { parseDuration } from "../duration.ts";
import { forksOf } from "../forks.ts";
import type { EtcdBackup, EtcdCluster } from "../kinds/index.ts";
import { snapshotLabel } from "../pods/index.ts";
import { PATHS } from "./agent/job.ts";
import type { Job, StoreWork } from "./agent/job.ts";
import {
  agentContainer,
  CONTAINER_SECURITY,
  mountsOf,
  POD_SECURITY,
  scratchPart,
  secretFolder,
  storeParts,
  toStoreJob,
} from "./parts.ts";
import type { Part, SecretKey, StoreSpec } from "./parts.ts";
import type { Recorded, Retention, Wanted } from "./retention.ts";

type DesiredPod = ApplyOf<typeof Pod>;
type BackupObject = ObjectOf<typeof EtcdBackup>;
type BackupSpec = BackupObject["spec"];
type ClusterObject = ObjectOf<typeof EtcdCluster>;

interface Common {
  readonly agentImage: string;
  readonly labels: { readonly [label: string]: string };
  /** Pull secrets for private registries. */
  readonly pullSecrets: readonly { readonly name: string }[];
}

/** The location of a backup. */
export interface BackupSource {
  readonly store: StoreSpec;
  /** Default: the newest of `sourceCluster`. */
  readonly backup?: string | undefined;
  /** sha256 of the manifest, if it was recorded. */
  readonly digest?: string | undefined;
  readonly sourceCluster?: { readonly namespace?: string | undefined; readonly name: string } | undefined;
  readonly encryption?: SecretKey | undefined;
  readonly allowUnencrypted?: boolean | undefined;
}

/** What the operator knows about the newest backup, if the source names none. */
export interface Expected {
  /** The cluster that is restored. Its own backups are meant by default. */
  readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
  /** The newest backup that the operator made. */
  readonly recorded?: Recorded | undefined;
}

/** The label with the purpose of a pod. */
export const PURPOSE_LABEL = "etcd.capstan.dev/purpose";
/** The container that returns the result. */
export const AGENT = "agent";

/** Takes a snapshot and stores it. */
export function backupPod(
  options: Common & { readonly spec: BackupSpec; readonly cluster: ClusterObject; readonly policy: string | undefined },
): DesiredPod {
  const { spec, cluster, policy } = options;
  const { metadata, spec: clusterSpec } = cluster;
  const tls = tlsSecretOf(cluster);
  const job: Job = {
    do: "backup",
    ...storeWork(spec),
    cluster: { namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid },
    clusterId: cluster.status?.clusterId,
    forks: forksOf(cluster.status),
    // A scheduled backup from a learner would push out better ones. A manual backup may use a learner.
    learners: spec.schedule === undefined ? "at last" : "never",
    spec: clusterSpec,
    policy,
    endpoints: endpointsOf(cluster),
    compression: spec.compression,
    // A backup with a trial restore prunes others only after the trial.
    ...(spec.verify === "restore" ? {} : { retention: retentionFor(spec, cluster) }),
  };
  const parts = [
    scratchPart(),
    ...storeParts(spec.store, spec.encryption),
    ...(tls === undefined ? [] : [secretFolder("tls", tls, PATHS.tls)]),
  ];
  const container = agentContainer({ name: AGENT, image: options.agentImage, job, parts });
  return onePod({ ...options, purpose: "backup", timeout: spec.timeout, parts, containers: [container] });
}

/** Each schedule has its own policy, and manual backups share one. A safeguard snapshot has no policy, so any policy may prune it. */
export function policyOf({ metadata, spec }: Pick<BackupObject, "metadata" | "spec">): string | undefined {
  if (metadata.labels?.[snapshotLabel] !== undefined) return undefined;
  return spec.schedule === undefined ? "by hand" : `${metadata.namespace}/${metadata.name}`;
}

/** While the data of members differs or may differ, a new backup may contain wrong data. It does not prune others. */
export function isDisputed({ status }: Pick<ClusterObject, "status">): boolean {
  const { comparison, survivors, conditions = [] } = status ?? {};
  const degraded = conditions.find(({ type }) => type === "Degraded");
  const isTold = degraded?.status === "True" && DISPUTES.has(degraded.reason ?? "");
  return isTold || [...(comparison?.differing ?? []), ...(survivors?.differing ?? [])].length > 0;
}

const DISPUTES: ReadonlySet<string> = new Set(["DataDiffers", "DataUncompared"]);

/** Retention for the agent. */
export function retentionFor(spec: Pick<BackupSpec, "retention">, cluster: Pick<ClusterObject, "status">): Retention {
  return isDisputed(cluster) ? {} : toRetention(spec);
}

function toRetention({ retention: { count, age } = {} }: Pick<BackupSpec, "retention">): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: parseDuration(age) }),
  };
}

/** Enough to read a database of 8 GiB from a slow store. */
const READING = "1h";

/** A pod that reads a backup and returns its manifest. */
export function describePod(
  options: Common & { readonly source: BackupSource; readonly expected: Expected },
): DesiredPod {
  const { source, agentImage, expected } = options;
  const job: Job = { do: "describe", ...storeWork(source), ...wanted(source, expected) };
  const parts = storeParts(source.store, source.encryption);
  const container = agentContainer({ name: AGENT, image: agentImage, job, parts });
  return onePod({ ...options, purpose: "describe", timeout: READING, parts, containers: [container] });
}

export interface Trial {
  readonly source: BackupSource & { readonly backup: string };
  /** Image and version of an etcd that can read the backup. */
  readonly image: string;
  readonly version: string;
  readonly revision: number;
  readonly kvHash?: { readonly hash: number; readonly compactRevision: number } | undefined;
  readonly timeout: string;
  /** Retention that is applied after the trial succeeded. */
  readonly retention: Retention;
}

const TRIAL = { client: "http://127.0.0.1:2379", peer: "http://127.0.0.1:2380" };

/** A pod that restores a backup into a scratch member, starts it, and compares it with the manifest. */
export function verifyPod(options: Common & { readonly trial: Trial }): DesiredPod {
  const { agentImage, trial } = options;
  const { source, image, version, revision, kvHash, retention } = trial;
  const data = `${PATHS.scratch}/data`;
  const scratch = scratchPart();
  const parts = [scratch, ...storeParts(source.store, source.encryption)];
  const fetch = fetchContainer({ agentImage, source, version, folder: PATHS.scratch, parts });
  const restore = restoreContainer({
    image,
    folder: PATHS.scratch,
    to: data,
    member: "trial",
    peerURL: TRIAL.peer,
    part: scratch,
  });
  const { backup, digest } = source;
  const prune = { ...storeWork(source), backup, digest, retention };
  const check: Job = { do: "check", endpoint: TRIAL.client, revision, ...(kvHash ? { kvHash } : {}), prune };
  return onePod({
    ...options,
    purpose: "verify",
    timeout: trial.timeout,
    parts,
    initContainers: [fetch, restore],
    containers: [
      agentContainer({ name: AGENT, image: agentImage, job: check, parts }),
      {
        name: "etcd",
        image,
        command: ["/usr/local/bin/etcd"],
        args: [
          "--name=trial",
          `--data-dir=${data}`,
          `--listen-client-urls=${TRIAL.client}`,
          `--advertise-client-urls=${TRIAL.client}`,
          `--listen-peer-urls=${TRIAL.peer}`,
        ],
        securityContext: CONTAINER_SECURITY,
        volumeMounts: mountsOf([scratch]),
      },
    ],
  });
}

/** A member that starts with the data of a backup. */
export interface Seed {
  readonly agentImage: string;
  readonly source: BackupSource;
  readonly expected: Expected;
  /** Image and etcd version of the member. */
  readonly image: string;
  readonly version: string;
  readonly member: string;
  readonly peerURL: string;
  readonly token: string;
  /** The member's volume and mount path, and the data folder on it. */
  readonly volume: { readonly name: string; readonly mountPath: string };
  readonly dataDir: string;
  /** Raises the revision, for clients that knew the cluster before; 0 for a new cluster. */
  readonly bump: number;
}

/** Parts of the first member's pod that starts with the data of a backup: it is downloaded, restored by etcdutl, and moved into place. */
export function seedParts(seed: Seed) {
  const { agentImage, source, expected, image, version, member, peerURL, token, volume, dataDir, bump } = seed;
  const folder = `${volume.mountPath}/restore`;
  const data: Part = { volume: { name: volume.name }, mountPath: volume.mountPath, readOnly: false };
  const parts = storeParts(source.store, source.encryption);
  const restored = `${folder}/data`;
  return {
    initContainers: [
      fetchContainer({ agentImage, source, expected, version, folder, parts: [data, ...parts] }),
      restoreContainer({
        image,
        folder,
        to: restored,
        member,
        peerURL,
        token,
        part: data,
        raise: raiseBy(bump, version),
      }),
      agentContainer({
        name: "adopt",
        image: agentImage,
        job: { do: "adopt", from: restored, to: dataDir, clear: folder },
        parts: [data],
      }),
    ],
    volumes: parts.map((part) => part.volume),
  };
}

interface Fetch {
  readonly agentImage: string;
  readonly source: BackupSource;
  readonly expected?: Expected;
  readonly version: string;
  readonly folder: string;
  readonly parts: readonly Part[];
}

function fetchContainer({ agentImage, source, expected, version, folder, parts }: Fetch) {
  const job: Job = {
    do: "fetch",
    ...storeWork(source),
    ...wanted(source, expected),
    version,
    path: `${folder}/snapshot.db`,
    clear: folder,
  };
  return agentContainer({ name: "fetch", image: agentImage, job: clearing(job, folder), parts });
}

/** A mount point cannot be removed, only its content. */
function clearing(job: Extract<Job, { do: "fetch" }>, folder: string): Job {
  return folder === PATHS.scratch ? { ...job, clear: `${folder}/data` } : job;
}

/** Marks lower revisions as compacted, so that a client that watches them lists again. Supported since etcd 3.5.10. */
function raiseBy(bump: number, version: string): readonly string[] {
  if (bump === 0 || compareVersions(version, "3.5.10") < 0) return [];
  return [`--bump-revision=${bump}`, "--mark-compacted"];
}

interface Restore {
  readonly image: string;
  readonly folder: string;
  readonly to: string;
  readonly member: string;
  readonly peerURL: string;
  readonly token?: string;
  readonly part: Part;
  readonly raise?: readonly string[];
}

function restoreContainer({ image, folder, to, member, peerURL, token, part, raise = [] }: Restore) {
  return {
    name: "restore",
    image,
    command: ["/usr/local/bin/etcdutl"],
    args: [
      "snapshot",
      "restore",
      `${folder}/snapshot.db`,
      `--data-dir=${to}`,
      `--name=${member}`,
      `--initial-cluster=${member}=${peerURL}`,
      `--initial-advertise-peer-urls=${peerURL}`,
      ...(token === undefined ? [] : [`--initial-cluster-token=${token}`]),
      ...raise,
    ],
    terminationMessagePolicy: "FallbackToLogsOnError",
    securityContext: CONTAINER_SECURITY,
    volumeMounts: mountsOf([part]),
  };
}

interface OnePod extends Common {
  readonly purpose: "backup" | "describe" | "verify";
  readonly timeout: string;
  readonly parts: readonly Part[];
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
}

function onePod({ labels, pullSecrets, purpose, timeout, parts, initContainers = [], containers }: OnePod): DesiredPod {
  const spec = {
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
    restartPolicy: "Never",
    activeDeadlineSeconds: Math.max(1, Math.round(parseDuration(timeout) / 1000)),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    securityContext: POD_SECURITY,
    ...(initContainers.length > 0 ? { initContainers } : {}),
    containers,
    volumes: parts.map((part) => part.volume),
  };
  // The containers have different types; the API server validates the pod.
  return { metadata: { labels: { ...labels, [PURPOSE_LABEL]: purpose } }, spec } as DesiredPod;
}

function storeWork({ store, encryption, allowUnencrypted }: Omit<BackupSource, "backup">): StoreWork {
  const allowed = allowUnencrypted === undefined ? {} : { allowUnencrypted };
  return { store: toStoreJob(store), isEncrypted: encryption !== undefined, ...allowed };
}

/** A backup name contains its cluster. Otherwise the newest backup of the source is meant, or of the restored cluster. */
function wanted({ backup, digest, sourceCluster }: BackupSource, expected: Expected | undefined): Wanted {
  const source =
    sourceCluster === undefined
      ? undefined
      : { namespace: sourceCluster.namespace ?? expected?.cluster.namespace ?? "", name: sourceCluster.name };
  if (backup !== undefined) return { backup, digest, cluster: source };
  return { digest, cluster: source ?? expected?.cluster, recorded: expected?.recorded };
}

/** The Secret of a client certificate with all rights. */
function tlsSecretOf({ metadata, spec }: ClusterObject): string | undefined {
  switch (spec.tls.mode) {
    case "Off":
      return undefined;
    case "Provided":
      return spec.tls.secrets?.client;
    case "Managed":
      return `${metadata.name}-operator`;
  }
}

/** A member that differs from the majority is not asked. If all differ, there is no majority and all are asked. */
export function endpointsOf({ metadata, spec, status }: Pick<ClusterObject, "metadata" | "spec" | "status">): string[] {
  const scheme = spec.tls.mode === "Off" ? "http" : "https";
  const host = (member: string): string => `${member}.${metadata.name}.${metadata.namespace ?? ""}.svc`;
  const names = (status?.members ?? []).map(({ name }) => name);
  const right = names.filter((name) => status?.comparison?.differing.includes(name) !== true);
  return (right.length === 0 ? names : right).map((name) => `${scheme}://${host(name)}:2379`);
}
