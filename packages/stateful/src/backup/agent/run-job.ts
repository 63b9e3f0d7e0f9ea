/** Runs a job, in a pod or in a test. */
import { createWriteStream } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Clock } from "@capstan/model";
import type { Application } from "../../application.ts";
import { callOf, listBackups, readBackup, readManifest } from "../catalog.ts";
import { decompress } from "../compression.ts";
import { BackupError } from "../errors.ts";
import { findFull, findLog, pruneWithLog } from "../log.ts";
import type { Backups, Positions, Wanted } from "../log.ts";
import { backupName, identityOf, manifestFormat, prefixOf } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import type { Retention } from "../retention.ts";
import { ScannedCopy } from "../scan-copy.ts";
import { checkDigest, digestOf } from "../seal.ts";
import { writeBackup } from "../write-backup.ts";
import { StoreError } from "../../store/index.ts";
import { receive } from "./exchange.ts";
import { PATHS } from "./job.ts";
import type { Job, JobResult } from "./job.ts";
import { openCatalog } from "./open-store.ts";
import { summarize } from "./result.ts";

/** What a job needs of its surroundings. */
export interface Surroundings<P> {
  readonly application: Pick<Application<AsyncDisposable, P>, "backups" | "versions" | "topology" | "name">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly randomBytes: (count: number) => Buffer;
  /** Default: the paths of a pod. */
  readonly paths?: { readonly [Place in keyof typeof PATHS]: string };
  readonly signal?: AbortSignal;
}

type JobOf<D extends Job["do"]> = Extract<Job, { readonly do: D }>;

/** Runs a job. A failure is a result as well. */
export async function runJob<P>(job: Job, surroundings: Surroundings<P>): Promise<JobResult> {
  try {
    switch (job.do) {
      case "store":
        return await storeBackup(job, surroundings);
      case "describe":
        return await describe(job, surroundings);
      case "fetch":
        return await fetchBackup(job, surroundings);
      case "download":
        return await download(job, surroundings);
      case "compare":
        return await compare(job, surroundings);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isKnown = error instanceof BackupError || error instanceof StoreError;
    return { ok: false, code: isKnown ? error.code : "Unknown", message: error.message };
  }
}

function backupsOf<P>({ application }: Surroundings<P>) {
  const { backups, name } = application;
  if (backups === undefined) throw new BackupError("Unsupported", `${name} has no backups`);
  return backups;
}

/** Whether one position has all of another. */
export function positionsOf<P>({ application }: Pick<Surroundings<P>, "application">): Positions {
  const { backups, topology } = application;
  return {
    includes: (one, other) => {
      if (backups === undefined) return false;
      const { parsePosition } = backups;
      return ["same", "ahead"].includes(topology.compare(parsePosition(one), parsePosition(other)));
    },
  };
}

async function storeBackup<P>(job: JobOf<"store">, surroundings: Surroundings<P>): Promise<JobResult> {
  const { clock, paths = PATHS, randomBytes, signal } = surroundings;
  const { draft, compression, retention } = job;
  using catalog = await openCatalog(job, manifestFormat, surroundings);
  const time = new Date(clock.wall());
  const name = backupName({ cluster: draft.cluster, type: draft.type, time, salt: randomBytes(4).toString("hex") });
  const named = { ...draft, name, time: time.toISOString() };
  const copy = new ScannedCopy(draft.type === "full" ? backupsOf(surroundings).scan() : NO_ROWS);
  const source = copy.pass(receive(paths.exchange, { clock, signal }));
  const manifest = await writeBackup(catalog, source, {
    name,
    identity: identityOf(named),
    compression,
    salt: randomBytes(32),
    describe: (parts) => {
      const position = draft.position ?? copy.position();
      if (position === undefined) throw new BackupError("Truncated", "the copy of the data has no end: it broke off");
      const { until = new Date(clock.wall()).toISOString() } = draft;
      const rows = draft.type === "full" ? { rows: copy.rows() } : {};
      return { format: 1 as const, ...named, until, position, ...parts, compression, ...rows };
    },
  });
  const shared = await sharedPrefix(catalog, manifest);
  const told = shared === undefined ? {} : { shared };
  const pruned = retention === undefined ? {} : await pruneAfter(manifest, retention, { catalog, surroundings });
  return { ok: true, manifest: withoutSpec(manifest), digest: digestOf(manifest), ...told, ...pruned };
}

/** An earlier cluster of the same name has no backup after the first of this one: then another one exists now. */
async function sharedPrefix(catalog: Backups, made: Manifest): Promise<string | undefined> {
  const { backups } = await listBackups(catalog, prefixOf(made));
  const oldest = backups.findLast(({ cluster }) => cluster.uid === made.cluster.uid);
  const other = backups.find(({ cluster }) => cluster.uid !== made.cluster.uid);
  if (oldest === undefined || other === undefined || other.time <= oldest.time) return undefined;
  const { namespace, name } = made.cluster;
  return `another cluster ${namespace}/${name} (${other.cluster.uid}) stored ${other.name} in ${catalog.store.place}: give each its own prefix or path`;
}

const NO_ROWS = { isRow: () => false, position: () => undefined };

function withoutSpec({ spec: _spec, ...manifest }: Manifest): Manifest {
  return manifest;
}

interface Opened<P> {
  readonly catalog: Backups;
  readonly surroundings: Surroundings<P>;
}

async function pruneAfter<P>(proven: Manifest, retention: Retention, { catalog, surroundings }: Opened<P>) {
  const now = surroundings.clock.wall();
  const pruned = await pruneWithLog(catalog, { proven, retention, now, positions: positionsOf(surroundings) });
  return { ...summarize(pruned), kept: pruned.kept.length };
}

/** The backup and the log that were asked for, each authentic and of a release that the version can read. */
async function find<P>(
  { wanted, version }: { readonly wanted: Wanted; readonly version: string },
  { catalog, surroundings }: Opened<P>,
): Promise<{ readonly full: Manifest; readonly log: readonly Manifest[] }> {
  const full = await findFull(catalog, wanted);
  const { versions, name } = surroundings.application;
  if (full.application !== name) {
    throw new BackupError(
      "OtherCluster",
      `the backup ${full.name} is of ${full.application}, not of ${name}: name another backup`,
    );
  }
  if (!versions.canGo(full.version, version)) {
    const message = `the backup ${full.name} is of ${name} ${full.version}, which ${version} cannot read: ask for ${full.version} or newer`;
    throw new BackupError("NewerVersion", message);
  }
  const { until = {} } = wanted;
  const isWhole = until.time === undefined && until.position === undefined;
  const positions = positionsOf(surroundings);
  const { backups } = surroundings.application;
  if (until.position !== undefined && backups?.formatPosition(backups.parsePosition(until.position)) === "") {
    throw new BackupError(
      "NotFound",
      `${until.position} is not a position of ${name}: write it as the status of a backup does`,
    );
  }
  return { full, log: isWhole ? [] : await findLog(catalog, { full, until }, positions) };
}

/** Reads all of the backup: no member may be stopped for a backup that cannot be restored. */
async function describe<P>(job: JobOf<"describe">, surroundings: Surroundings<P>): Promise<JobResult> {
  using catalog = await openCatalog(job, manifestFormat, surroundings);
  const { full, log } = await find(job, { catalog, surroundings });
  for (const manifest of [full, ...log]) {
    for await (const part of readBackup(catalog, manifest)) void part;
  }
  return { ok: true, manifest: withoutSpec(full), digest: digestOf(full) };
}

/** Replaces what an interrupted attempt left. */
async function fetchBackup<P>(job: JobOf<"fetch">, surroundings: Surroundings<P>): Promise<JobResult> {
  if (await exists(job.unless)) return { ok: true };
  using catalog = await openCatalog(job, manifestFormat, surroundings);
  const { full, log } = await find(job, { catalog, surroundings });
  await rm(job.to, { recursive: true, force: true });
  await mkdir(join(job.to, "log"), { recursive: true });
  await save(readBackup(catalog, full), join(job.to, "content"));
  for (const [at, piece] of log.entries()) {
    const path = join(job.to, "log", String(at).padStart(6, "0"));
    await save(readBackup(catalog, piece), `${path}.data`);
    await writeFile(`${path}.to`, piece.position);
  }
  return { ok: true, manifest: withoutSpec(full), digest: digestOf(full) };
}

async function download<P>(
  { object, to, unless, ...job }: JobOf<"download">,
  surroundings: Surroundings<P>,
): Promise<JobResult> {
  if (await exists(unless)) return { ok: true };
  using catalog = await openCatalog(job, manifestFormat, surroundings);
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const how = object.endsWith(".gz") ? "gzip" : object.endsWith(".zst") ? "zstd" : "none";
  await save(decompress(await catalog.store.get(object, callOf(catalog)), how), join(to, "content"));
  return { ok: true };
}

/** The volume may be full: that is a result, too. */
async function save(content: AsyncIterable<Buffer>, path: string): Promise<void> {
  try {
    await pipeline(content, createWriteStream(path, { mode: 0o600 }));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw cause;
    throw new BackupError("Full", "no room is left for the content of the backup: give the volume more", { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function compare<P>(job: JobOf<"compare">, surroundings: Surroundings<P>): Promise<JobResult> {
  const { clock, paths = PATHS, signal } = surroundings;
  using catalog = await openCatalog(job, manifestFormat, surroundings);
  const manifest = await readManifest(catalog, job.backup);
  checkDigest(manifest, job.digest);
  const copy = new ScannedCopy(backupsOf(surroundings).scan());
  for await (const part of copy.pass(receive(paths.exchange, { clock, signal }))) void part;
  const seen = { rows: copy.rows(), position: copy.position() };
  if (seen.rows !== manifest.rows || seen.position !== manifest.position) {
    const message = `a server restored from the backup has ${JSON.stringify(seen)}, expected was ${JSON.stringify({ rows: manifest.rows, position: manifest.position })}`;
    return { ok: false, code: "Different", message };
  }
  return job.retention === undefined
    ? { ok: true }
    : { ok: true, ...(await pruneAfter(manifest, job.retention, { catalog, surroundings })) };
}
