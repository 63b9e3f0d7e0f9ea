/** The pods that make, describe and verify backups, and the parts of a member's pod that restore one. */
import type { ApplyOf, ObjectOf } from "capstan";
import type { Pod } from "capstan/kinds/v1";
import { compareVersions } from "../decide/index.ts";
import { parseDuration } from "../duration.ts";
import type { EtcdBackup, EtcdCluster } from "../kinds/index.ts";
import { snapshotLabel, UID_LABEL } from "../pods/index.ts";
import { JOB_VARIABLE, PATHS } from "./agent/job.ts";
import type { Job } from "./agent/job.ts";
import { forksOf } from "capstan/stateful/quorum";
import {
  agentContainer as containerOf,
  agentPodSpec,
  CONTAINER_SECURITY,
  folderPart,
  mountsOf,
  secretPart,
  seeJob,
  storeParts,
  storeWork,
} from "capstan/stateful/parts";
import type { AgentPodOptions, Part, RecordedBackup, Retention, SeenJob, StoreAccess } from "capstan/stateful/parts";
import type { WantedBackup } from "capstan/stateful/parts";
import type { Manifest } from "./manifest.ts";

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
export interface BackupSource extends StoreAccess {
  /** Default: the newest of `sourceCluster`. */
  readonly backup?: string | undefined;
  /** sha256 of the manifest, if it was recorded. */
  readonly digest?: string | undefined;
  readonly sourceCluster?: { readonly namespace?: string | undefined; readonly name: string } | undefined;
}

/** What the operator knows about the newest backup, if the source names none. */
export interface Expected {
  /** The cluster that is restored. Its own backups are meant by default. */
  readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
  /** The newest backup that the operator made. */
  readonly recorded?: RecordedBackup | undefined;
}

/** The label with the purpose of a pod. */
export const PURPOSE_LABEL = "etcd.capstan.dev/purpose";

/** A job in a pod. */
export interface BackupJob extends SeenJob<Manifest, "backup" | "describe" | "verify"> {
  /** The uid of the cluster that the job was created for. */
  readonly clusterUid?: string;
}

/** Reads the state of a job from the status of its pod. */
export function seeBackupJob(pod: ObjectOf<typeof Pod>): BackupJob {
  const uid = pod.metadata.labels?.[UID_LABEL];
  const job = seeJob<Manifest, BackupJob["purpose"]>(pod, PURPOSE_LABEL, ["backup", "describe", "verify"]);
  return { ...job, ...(uid === undefined ? {} : { clusterUid: uid }) };
}

/** The container that returns the result. */
export const AGENT = "agent";
const scratch = folderPart("scratch", PATHS.scratch);

function agentContainer(options: { name: string; image: string; job: Job; parts: readonly Part[] }) {
  return containerOf({ ...options, variable: JOB_VARIABLE });
}

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
  const parts = [scratch, ...storeParts(spec), ...(tls === undefined ? [] : [secretPart("tls", tls, PATHS.tls)])];
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
  const parts = storeParts(source);
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
  const parts = [scratch, ...storeParts(source)];
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
  const parts = storeParts(source);
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

interface OnePod extends Common, Omit<AgentPodOptions, "user" | "pullSecrets"> {
  readonly purpose: BackupJob["purpose"];
}

/** User id `nonroot` of distroless images. */
const USER = 65_532;

function onePod({ labels, purpose, ...options }: OnePod): DesiredPod {
  const metadata = { labels: { ...labels, [PURPOSE_LABEL]: purpose } };
  // The containers have different types; the API server validates the pod.
  return { metadata, spec: agentPodSpec({ ...options, user: USER }) } as DesiredPod;
}

/** A backup name contains its cluster. Otherwise the newest backup of the source is meant, or of the restored cluster. */
function wanted({ backup, digest, sourceCluster }: BackupSource, expected: Expected | undefined): WantedBackup {
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
