/** Runs a job, in a pod or in a test. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "capstan";
import { connectEtcd, EtcdError } from "../../etcd/index.ts";
import type { TlsMaterial } from "../../etcd/index.ts";
import { BackupError, openDirectory, openS3, parseKey, StoreError } from "capstan/stateful";
import type { Store } from "capstan/stateful";
import { fetchBackup, readContent } from "../fetch-backup.ts";
import { makeBackup } from "../make-backup.ts";
import { digestOf } from "../manifest.ts";
import type { Trust } from "../manifest.ts";
import { findBackup, prune } from "../retention.ts";
import { FILES, PATHS } from "./job.ts";
import type { Job, JobResult, Prune, StoreJob, StoreWork } from "./job.ts";

export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  /** Default: the paths of a pod. */
  readonly paths?: { readonly [Place in keyof typeof PATHS]: string };
  readonly signal?: AbortSignal;
}

type JobOf<D extends Job["do"]> = Extract<Job, { readonly do: D }>;

/** Runs a job. A failure is a result as well. */
export async function runJob(job: Job, surroundings: Surroundings): Promise<JobResult> {
  try {
    switch (job.do) {
      case "backup":
        return await backUp(job, surroundings);
      case "describe":
        return await describe(job, surroundings);
      case "fetch":
        return await fetchInto(job, surroundings);
      case "adopt":
        return await adopt(job);
      case "check":
        return await check(job, surroundings);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isKnown = error instanceof BackupError || error instanceof StoreError || error instanceof EtcdError;
    return { ok: false, code: isKnown ? error.code : "Unknown", message: error.message };
  }
}

async function backUp(job: JobOf<"backup">, surroundings: Surroundings): Promise<JobResult> {
  const { clock, signal, paths = PATHS } = surroundings;
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openStore(job.store, surroundings));
  const tls = await readTls(paths.tls);
  const members = job.endpoints.map((endpoint) => stack.use(connectEtcd({ endpoint, ...(tls ? { tls } : {}) }, clock)));
  const { cluster, clusterId, forks, spec, policy, compression, learners = "never" } = job;
  const call = signal ? { signal } : {};
  const trust = await readTrust(job, paths.encryption);
  const now = (): number => clock.wall();
  const made = {
    members,
    store,
    scratch: paths.scratch,
    cluster,
    clusterId,
    forks,
    learners,
    spec,
    policy,
    compression,
    now,
    randomBytes,
    ...trust,
    ...call,
  };
  const manifest = await makeBackup(made);
  const { retention } = job;
  const done = { ok: true, manifest, digest: digestOf(manifest) } as const;
  if (retention === undefined) return done;
  const pruned = await prune(store, { proven: manifest, retention, now: now(), ...trust, ...call });
  return { ...done, ...summarize(pruned) };
}

/** As many rejected backups as a message can hold. */
const TOLD = 3;

function summarize({ kept, removed, refused }: Awaited<ReturnType<typeof prune>>) {
  const told = refused.slice(0, TOLD).map(({ error }) => `${error.code}: ${error.message}`);
  return { kept: kept.length, removed: removed.length, ...(told.length > 0 ? { refused: told } : {}) };
}

/** Reads all of the backup: no member may be stopped for a backup that cannot be restored. */
async function describe(job: JobOf<"describe">, surroundings: Surroundings): Promise<JobResult> {
  const { paths = PATHS, signal } = surroundings;
  using store = await openStore(job.store, surroundings);
  const options = { ...(await readTrust(job, paths.encryption)), ...(signal ? { signal } : {}) };
  const manifest = await findBackup(store, job, options);
  const content = readContent({ store, manifest, ...options });
  // The content is discarded. Reading fails if it differs from what was written.
  while ((await content.next()).done !== true);
  return { ok: true, manifest, digest: digestOf(manifest) };
}

/** Replaces a file that an interrupted attempt left. */
async function fetchInto(job: JobOf<"fetch">, surroundings: Surroundings): Promise<JobResult> {
  const { paths = PATHS, signal } = surroundings;
  using store = await openStore(job.store, surroundings);
  const options = { ...(await readTrust(job, paths.encryption)), ...(signal ? { signal } : {}) };
  const found = await findBackup(store, job, options);
  await rm(job.clear, { recursive: true, force: true });
  await mkdir(dirname(job.path), { recursive: true });
  const { path, version } = job;
  // The newest may change meanwhile: the digest pins the one that was found.
  const { name } = found;
  const digest = digestOf(found);
  const { manifest } = await fetchBackup({ store, name, digest, path, version, ...options });
  return { ok: true, manifest, digest };
}

/** A rename is atomic: the member finds its data complete or not at all, however often the pod is restarted. */
async function adopt({ from, to, clear }: JobOf<"adopt">): Promise<JobResult> {
  if (!(await isFolder(to))) await rename(from, to);
  await rm(clear, { recursive: true, force: true });
  return { ok: true };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The member needs time to start: retries until it responds or the pod reaches its deadline. */
async function check(job: JobOf<"check">, surroundings: Surroundings): Promise<JobResult> {
  const { clock, signal } = surroundings;
  await using member = connectEtcd({ endpoint: job.endpoint, timeoutMs: 2000 }, clock);
  for (;;) {
    signal?.throwIfAborted();
    try {
      await member.maintenance.checkHealth();
      break;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      await new Promise<void>((resolve) => void clock.later(250, resolve));
    }
  }
  const { revision, hash, compactRevision } = await member.maintenance.hashKv({
    revision: job.revision,
    timeoutMs: 60_000,
  });
  // A hash covers the revisions since the last compaction. The source may have compacted between the snapshot and its hash, and at a
  // compacted revision a member returns the hash that it kept of that compaction. The checksum of the file was compared at download.
  const kvHash = job.kvHash?.compactRevision === compactRevision ? job.kvHash : undefined;
  const found = { revision, ...(kvHash ? { hash, compactRevision } : {}) };
  const expected = { revision: job.revision, ...kvHash };
  if (JSON.stringify(toSorted(found)) === JSON.stringify(toSorted(expected))) {
    return job.prune === undefined ? { ok: true } : await pruneAfter(job.prune, surroundings);
  }
  const message = `a member restored from the backup has ${JSON.stringify(found)}, expected was ${JSON.stringify(expected)}`;
  return { ok: false, code: "Different", message };
}

/** Old backups are removed only after one passed its trial restore. */
async function pruneAfter(job: Prune, surroundings: Surroundings): Promise<JobResult> {
  const { clock, signal, paths = PATHS } = surroundings;
  const options = { ...(await readTrust(job, paths.encryption)), ...(signal ? { signal } : {}) };
  using store = await openStore(job.store, surroundings);
  const proven = await findBackup(store, job, options);
  const pruned = await prune(store, { proven, retention: job.retention, now: clock.wall(), ...options });
  return { ok: true, ...summarize(pruned) };
}

function toSorted(facts: Record<string, number>): [string, number][] {
  return Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function openStore(job: StoreJob, { clock, random, paths = PATHS }: Surroundings): Promise<Store & Disposable> {
  if (job.kind === "volume") {
    const store = openDirectory({ root: paths.volume, ...(job.path === "" ? {} : { path: job.path }) });
    return { ...store, [Symbol.dispose]: () => {} };
  }
  const { kind: _kind, ...bucket } = job;
  const accessKeyId = await readText(join(paths.credentials, "accessKeyId"));
  const secretAccessKey = await readText(join(paths.credentials, "secretAccessKey"));
  const sessionToken = await readText(join(paths.credentials, "sessionToken"));
  const ca = await readText(join(paths.storeCa, FILES.storeCa));
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StoreError("Denied", "the Secret with the store's credentials needs accessKeyId and secretAccessKey");
  }
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return openS3({ ...bucket, credentials, ...(ca === undefined ? {} : { ca }), clock, random });
}

async function readTrust({ isEncrypted, allowUnencrypted = false }: StoreWork, folder: string): Promise<Trust> {
  return isEncrypted ? { key: parseKey(await readFile(join(folder, FILES.key))), allowUnencrypted } : {};
}

async function readTls(folder: string): Promise<TlsMaterial | undefined> {
  const [ca, certificate, privateKey] = await Promise.all(
    ["ca.crt", "tls.crt", "tls.key"].map((file) => readText(join(folder, file))),
  );
  if (ca === undefined) return undefined;
  return {
    ca,
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

/** Content of a file, or undefined if it does not exist. Strips the trailing line end, which is never intended. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
