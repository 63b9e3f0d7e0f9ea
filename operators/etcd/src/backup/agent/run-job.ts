/** Runs a job, in a pod or in a test. */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connectEtcd, EtcdError } from "../../etcd/index.ts";
import type { TlsMaterial } from "../../etcd/index.ts";
import { BackupError, StoreError } from "capstan/stateful";
import { digestOf, findBackup, openCatalog, prune, readBackup, readMounted, summarize } from "capstan/stateful/parts";
import type { AgentSurroundings, Catalog, Retention } from "capstan/stateful/parts";
import { fetchBackup } from "../fetch-backup.ts";
import { makeBackup } from "../make-backup.ts";
import { format, isPrunedBy } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import { PATHS } from "./job.ts";
import type { Job, JobResult, Prune } from "./job.ts";

export interface Surroundings extends AgentSurroundings {
  /** Default: the paths of a pod. */
  readonly paths?: { readonly [Place in keyof typeof PATHS]: string };
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
  const { clock, paths = PATHS } = surroundings;
  await using stack = new AsyncDisposableStack();
  const catalog = stack.use(await openCatalog(job, format, surroundings));
  const tls = await readTls(paths.tls);
  const members = job.endpoints.map((endpoint) => stack.use(connectEtcd({ endpoint, ...(tls ? { tls } : {}) }, clock)));
  const { cluster, clusterId, forks, spec, policy, compression, learners = "never", retention } = job;
  const now = (): number => clock.wall();
  const made = { cluster, clusterId, forks, spec, policy, compression, learners, now, randomBytes };
  const manifest = await makeBackup({ ...catalog, ...made, members, scratch: paths.scratch });
  const done = { ok: true, manifest, digest: digestOf(manifest) } as const;
  return retention === undefined
    ? done
    : { ...done, ...(await pruneAfter(catalog, manifest, { retention, now: now() })) };
}

async function pruneAfter(
  catalog: Catalog<Manifest>,
  proven: Manifest,
  options: { readonly retention: Retention; readonly now: number },
) {
  const pruned = await prune(catalog, { proven, ...options });
  return { ...summarize(pruned), kept: pruned.left.filter(({ policy }) => isPrunedBy(policy, proven)).length };
}

/** Reads all of the backup: no member may be stopped for a backup that cannot be restored. */
async function describe(job: JobOf<"describe">, surroundings: Surroundings): Promise<JobResult> {
  using catalog = await openCatalog(job, format, surroundings);
  const manifest = await findBackup(catalog, job);
  // The content is discarded. Reading fails if it differs from what was written.
  for await (const part of readBackup(catalog, manifest)) void part;
  return { ok: true, manifest, digest: digestOf(manifest) };
}

/** Replaces a file that an interrupted attempt left. */
async function fetchInto(job: JobOf<"fetch">, surroundings: Surroundings): Promise<JobResult> {
  using catalog = await openCatalog(job, format, surroundings);
  const found = await findBackup(catalog, job);
  await rm(job.clear, { recursive: true, force: true });
  await mkdir(dirname(job.path), { recursive: true });
  const { path, version } = job;
  // The newest may change meanwhile: the digest pins the one that was found.
  const digest = digestOf(found);
  const { manifest } = await fetchBackup({ ...catalog, name: found.name, digest, path, version });
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
    return job.prune === undefined ? { ok: true } : await pruneTried(job.prune, surroundings);
  }
  const message = `a member restored from the backup has ${JSON.stringify(found)}, expected was ${JSON.stringify(expected)}`;
  return { ok: false, code: "Different", message };
}

/** Old backups are removed only after one passed its trial restore. */
async function pruneTried(job: Prune, surroundings: Surroundings): Promise<JobResult> {
  using catalog = await openCatalog(job, format, surroundings);
  const proven = await findBackup(catalog, job);
  const { retention } = job;
  return { ok: true, ...(await pruneAfter(catalog, proven, { retention, now: surroundings.clock.wall() })) };
}

function toSorted(facts: Record<string, number>): [string, number][] {
  return Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function readTls(folder: string): Promise<TlsMaterial | undefined> {
  const [ca, certificate, privateKey] = await Promise.all(
    ["ca.crt", "tls.crt", "tls.key"].map((file) => readMounted(join(folder, file))),
  );
  if (ca === undefined) return undefined;
  return {
    ca,
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}
