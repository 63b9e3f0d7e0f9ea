/**
 * Makes a backup: takes a snapshot of the newest member, checks, compresses, encrypts, stores and reads it back, then writes the
 * manifest.
 */
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { EtcdClient } from "../etcd/index.ts";
import type { Compression, Store } from "capstan/stateful";
import { writeBackup } from "capstan/stateful/parts";
import { chooseMember } from "./choose.ts";
import type { Candidate } from "./choose.ts";
import { backupName, format, identityOf } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { inspectSnapshot, spoolSnapshot } from "./snapshot/spool.ts";
import type { SnapshotFile } from "./snapshot/spool.ts";

export interface MakeBackupOptions {
  readonly members: readonly EtcdClient[];
  readonly store: Store;
  /** A folder for the snapshot during the backup. */
  readonly scratch: string;
  readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
  /** The cluster id, if known. Members of another cluster are not asked. */
  readonly clusterId?: string | undefined;
  /** How many times the cluster continued from a single member. */
  readonly forks?: number | undefined;
  /** Whether a learner may provide the snapshot if no voter responds. */
  readonly learners: "never" | "at last";
  /** The spec of the cluster, to recreate it. */
  readonly spec?: unknown;
  /** The backup policy, if the backup belongs to one. */
  readonly policy?: string | undefined;
  readonly compression: Compression;
  readonly key?: Buffer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Buffer;
  readonly signal?: AbortSignal;
}

/** Makes a backup and returns its manifest. */
export async function makeBackup(options: MakeBackupOptions): Promise<Manifest> {
  const { members, scratch, signal } = options;
  const chosen = await chooseMember(members, options, signal);
  const path = join(scratch, `snapshot-${options.randomBytes(6).toString("hex")}.db`);
  try {
    const stream = await chosen.client.maintenance.snapshot(signal ? { signal } : {});
    const file = await spoolSnapshot(stream, path, { size: stream.size, ...(signal ? { signal } : {}) });
    const manifest = await describe(options, chosen, file);
    return await upload(options, manifest, file);
  } finally {
    await rm(path, { force: true });
  }
}

type Draft = Omit<Manifest, "encryption" | "stored">;

async function describe(options: MakeBackupOptions, { client, status }: Candidate, file: SnapshotFile): Promise<Draft> {
  const { revision, storageVersion } = await inspectSnapshot(file.path);
  const cluster = { ...options.cluster, clusterId: status.clusterId };
  const time = new Date(options.now());
  const kvHash = await hashOf(client, revision, options.signal);
  return {
    format: 2,
    name: backupName({ cluster, time, revision, salt: options.randomBytes(3).toString("hex") }),
    cluster,
    ...(options.spec === undefined ? {} : { spec: options.spec }),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(options.forks === undefined ? {} : { forks: options.forks }),
    time: time.toISOString(),
    member: status.memberId,
    version: status.version,
    ...(storageVersion === undefined ? {} : { storageVersion }),
    revision,
    ...(kvHash ? { kvHash } : {}),
    snapshot: { bytes: file.bytes, sha256: file.sha256 },
    compression: options.compression,
  };
}

/** The member's hash at the revision of the snapshot. If that revision was compacted meanwhile, there is no hash to compare with. */
async function hashOf(client: EtcdClient, revision: number, signal?: AbortSignal): Promise<Manifest["kvHash"]> {
  try {
    const { hash, compactRevision } = await client.maintenance.hashKv({ revision, ...(signal ? { signal } : {}) });
    return { hash, compactRevision };
  } catch {
    return undefined;
  }
}

async function upload(options: MakeBackupOptions, draft: Draft, file: SnapshotFile): Promise<Manifest> {
  const { store, key, signal } = options;
  const catalog = { store, format, ...(key ? { key } : {}), ...(signal ? { signal } : {}) };
  return await writeBackup(catalog, createReadStream(file.path, { highWaterMark: 1 << 18 }), {
    name: draft.name,
    identity: identityOf(draft),
    compression: draft.compression,
    salt: options.randomBytes(32),
    describe: ({ stored }) => ({ ...draft, stored }),
  });
}
