/** The pods that make, describe and try backups, and what a member needs that begins with one. */
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

/** What all these pods have in common. */
interface Common {
  readonly agentImage: string;
  readonly labels: { readonly [label: string]: string };
  /** For registries that ask who pulls. */
  readonly pullSecrets: readonly { readonly name: string }[];
}

/** Where to find a backup. */
export interface BackupSource {
  readonly store: StoreSpec;
  /** The newest of `sourceCluster` if left out. */
  readonly backup?: string | undefined;
  /** sha256 of the manifest, if it was recorded. */
  readonly digest?: string | undefined;
  readonly sourceCluster?: { readonly namespace?: string | undefined; readonly name: string } | undefined;
  readonly encryption?: SecretKey | undefined;
  readonly allowUnencrypted?: boolean | undefined;
}

/** What is known of the newest backup, where none is named. */
export interface Expected {
  /** The cluster that is restored: its own backups are meant, unless the source says otherwise. */
  readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
  /** The newest that the operator made. */
  readonly recorded?: Recorded | undefined;
}

/** The label by which a pod's purpose is known. */
export const PURPOSE_LABEL = "etcd.capstan.dev/purpose";
/** The container whose result counts. */
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
    // One by schedule would push better ones out; who asks for one now has reasons.
    learners: spec.schedule === undefined ? "at last" : "never",
    spec: clusterSpec,
    policy,
    endpoints: endpointsOf(cluster),
    compression: spec.compression,
    // What is to be tried pushes nothing out before it was.
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

/** Each schedule has its own, and those made by hand have one together; what secures an update belongs to whoever comes next. */
export function policyOf({ metadata, spec }: Pick<BackupObject, "metadata" | "spec">): string | undefined {
  if (metadata.labels?.[snapshotLabel] !== undefined) return undefined;
  return spec.schedule === undefined ? "by hand" : `${metadata.namespace}/${metadata.name}`;
}

/** As long as the members' data differs, or may, a new backup may be of the wrong data: it pushes no other out. */
export function isDisputed({ status }: Pick<ClusterObject, "status">): boolean {
  const { comparison, survivors, conditions = [] } = status ?? {};
  const degraded = conditions.find(({ type }) => type === "Degraded");
  const isTold = degraded?.status === "True" && DISPUTES.has(degraded.reason ?? "");
  return isTold || [...(comparison?.differing ?? []), ...(survivors?.differing ?? [])].length > 0;
}

const DISPUTES: ReadonlySet<string> = new Set(["DataDiffers", "DataUncompared"]);

/** What is kept, as the agent is told it. */
export function retentionFor(spec: Pick<BackupSpec, "retention">, cluster: Pick<ClusterObject, "status">): Retention {
  return isDisputed(cluster) ? {} : toRetention(spec);
}

function toRetention({ retention: { count, age } = {} }: Pick<BackupSpec, "retention">): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { ageMs: parseDuration(age) }),
  };
}

/** A database of 8 GiB from a slow store. */
const READING = "1h";

/** Reads a backup and tells what is known of it. */
export function describePod(
  options: Common & { readonly source: BackupSource; readonly expected: Expected },
): DesiredPod {
  const { source, agentImage, expected } = options;
  const job: Job = { do: "describe", ...storeWork(source), ...wanted(source, expected) };
  const parts = storeParts(source.store, source.encryption);
  const container = agentContainer({ name: AGENT, image: agentImage, job, parts });
  return onePod({ ...options, purpose: "describe", timeout: READING, parts, containers: [container] });
}

/** What is to be tried. */
export interface Trial {
  readonly source: BackupSource & { readonly backup: string };
  /** Image and version of an etcd that can read it. */
  readonly image: string;
  readonly version: string;
  readonly revision: number;
  readonly kvHash?: { readonly hash: number; readonly compactRevision: number } | undefined;
  readonly timeout: string;
  /** What is kept in the store once it has passed. */
  readonly retention: Retention;
}

const TRIAL = { client: "http://127.0.0.1:2379", peer: "http://127.0.0.1:2380" };

/** Restores a backup into a member of its own, starts that, and compares it with what is known of the backup. */
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

/** Who begins with a backup. */
export interface Seed {
  readonly agentImage: string;
  readonly source: BackupSource;
  readonly expected: Expected;
  /** Image and version of the etcd that the member runs. */
  readonly image: string;
  readonly version: string;
  readonly member: string;
  readonly peerURL: string;
  readonly token: string;
  /** The member's volume, by name and place, and the folder on it that etcd will use. */
  readonly volume: { readonly name: string; readonly mountPath: string };
  readonly dataDir: string;
  /** What revisions are raised by, for clients that knew the cluster before; 0 for one that nobody knew. */
  readonly bump: number;
}

/** What the pod of a first member needs that begins with the data of a backup: fetched, restored by etcd's own program, put in place. */
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

/** A mounted folder cannot be removed itself: then only what is in it. */
function clearing(job: Extract<Job, { do: "fetch" }>, folder: string): Job {
  return folder === PATHS.scratch ? { ...job, clear: `${folder}/data` } : job;
}

/** Revisions that are below are called compacted: a watcher that asks for them is told to look anew. etcd knows how since 3.5.10. */
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
  // Containers of several kinds are put together here; the API server judges the whole.
  return { metadata: { labels: { ...labels, [PURPOSE_LABEL]: purpose } }, spec } as DesiredPod;
}

function storeWork({ store, encryption, allowUnencrypted }: Omit<BackupSource, "backup">): StoreWork {
  const allowed = allowUnencrypted === undefined ? {} : { allowUnencrypted };
  return { store: toStoreJob(store), isEncrypted: encryption !== undefined, ...allowed };
}

/** A name says the cluster, too; otherwise the newest of the source is meant, or of the cluster that is restored. */
function wanted({ backup, digest, sourceCluster }: BackupSource, expected: Expected | undefined): Wanted {
  const source =
    sourceCluster === undefined
      ? undefined
      : { namespace: sourceCluster.namespace ?? expected?.cluster.namespace ?? "", name: sourceCluster.name };
  if (backup !== undefined) return { backup, digest, cluster: source };
  return { digest, cluster: source ?? expected?.cluster, recorded: expected?.recorded };
}

/** The Secret with which everything is allowed. */
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

/** Whoever differs from a majority is not asked; where all differ, nobody knows whom to ask. */
export function endpointsOf({ metadata, spec, status }: Pick<ClusterObject, "metadata" | "spec" | "status">): string[] {
  const scheme = spec.tls.mode === "Off" ? "http" : "https";
  const host = (member: string): string => `${member}.${metadata.name}.${metadata.namespace ?? ""}.svc`;
  const names = (status?.members ?? []).map(({ name }) => name);
  const right = names.filter((name) => status?.comparison?.differing.includes(name) !== true);
  return (right.length === 0 ? names : right).map((name) => `${scheme}://${host(name)}:2379`);
}
