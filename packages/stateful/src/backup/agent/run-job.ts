/** Runs a job, in a pod or in a test. */
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Clock } from "@capstan/model";
import type { Application } from "../../application.ts";
import { openDirectory, openS3, StoreError } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import { callOf, findBackup, findLog, listBackups, readManifest } from "../catalog.ts";
import type { Positions, Reading, Wanted } from "../catalog.ts";
import { decompress } from "../compression.ts";
import { readContent, writeContent } from "../content.ts";
import { parseKey } from "../encryption.ts";
import { BackupError } from "../errors.ts";
import { backupName, contentOf, formatManifest, identityOf, objectNames } from "../manifest.ts";
import type { Manifest } from "../manifest.ts";
import { prune } from "../retention.ts";
import type { Retention } from "../retention.ts";
import { ScannedCopy } from "../scan-copy.ts";
import { checkDigest, digestOf, seal } from "../seal.ts";
import type { Trust } from "../seal.ts";
import { receive } from "./exchange.ts";
import { FILES, PATHS } from "./job.ts";
import type { Job, JobResult, StoreJob, StoreWork } from "./job.ts";

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

/** Content first, then read back, then the manifest: what has a manifest can be restored. */
async function storeBackup<P>(job: JobOf<"store">, surroundings: Surroundings<P>): Promise<JobResult> {
  const { clock, paths = PATHS, randomBytes, signal } = surroundings;
  const { draft, compression } = job;
  await using store = await openStore(job.store, surroundings);
  const trust = await readTrust(job, paths.encryption);
  const place = { store, ...(trust.key ? { key: trust.key } : {}), ...(signal ? { signal } : {}) };
  const time = new Date(clock.wall());
  const name = backupName({ cluster: draft.cluster, type: draft.type, time, salt: randomBytes(4).toString("hex") });
  const named = { ...draft, name, time: time.toISOString() };
  const names = objectNames(name);
  const copy = new ScannedCopy(draft.type === "full" ? backupsOf(surroundings).scan() : NO_ROWS);
  const facts = { object: names.content, identity: identityOf(named), compression };
  const source = copy.pass(receive(paths.exchange, { clock, signal }));
  const parts = await writeContent(source, facts, { ...place, salt: randomBytes(32) });
  const manifest = await describeStored();
  const done = { ok: true, manifest: withoutSpec(manifest), digest: digestOf(manifest) } as const;
  const shared = await sharedPrefix(manifest, { store, reading: { ...trust, ...callOf(place) } });
  const told = { ...done, ...(shared === undefined ? {} : { shared }) };
  const { retention } = job;
  return retention === undefined
    ? told
    : { ...told, ...(await pruneAfter(manifest, retention, { ...trust, store, surroundings })) };

  /** Without a manifest, the content is removed again. */
  async function describeStored(): Promise<Manifest> {
    try {
      const position = draft.position ?? copy.position();
      if (position === undefined) throw new BackupError("Truncated", "the copy of the data has no end: it broke off");
      const { until = new Date(clock.wall()).toISOString() } = draft;
      const rows = draft.type === "full" ? { rows: copy.rows() } : {};
      const plain = { format: 1 as const, ...named, until, position, ...parts, compression, ...rows };
      const sealed = seal(plain, trust.key);
      // Content that cannot be read back is not a backup.
      for await (const part of readContent(contentOf(sealed), place)) void part;
      await store.put(names.manifest, once(Buffer.from(formatManifest(sealed))), callOf(place));
      return sealed;
    } catch (error) {
      await store.remove(names.content).catch(() => {});
      throw error;
    }
  }
}

/** An earlier cluster of the same name has no backup after the first of this one: then another one exists now. */
async function sharedPrefix(
  made: Manifest,
  { store, reading }: { readonly store: Store; readonly reading: Reading },
): Promise<string | undefined> {
  const { backups } = await listBackups(store, { cluster: made.cluster, type: made.type }, reading);
  const oldest = backups.findLast(({ cluster }) => cluster.uid === made.cluster.uid);
  const other = backups.find(({ cluster }) => cluster.uid !== made.cluster.uid);
  if (oldest === undefined || other === undefined || other.time <= oldest.time) return undefined;
  const { namespace, name } = made.cluster;
  return `another cluster ${namespace}/${name} (${other.cluster.uid}) stored ${other.name} in ${store.place}: give each its own prefix or path`;
}

const NO_ROWS = { isRow: () => false, position: () => undefined };

function withoutSpec({ spec: _spec, ...manifest }: Manifest): Manifest {
  return manifest;
}

interface Pruning<P> extends Trust {
  readonly store: Store;
  readonly surroundings: Surroundings<P>;
}

/** As many rejected backups as a message can hold. */
const TOLD = 3;

async function pruneAfter<P>(proven: Manifest, retention: Retention, { store, surroundings, ...trust }: Pruning<P>) {
  const { clock, signal } = surroundings;
  const options = { proven, retention, now: clock.wall(), positions: positionsOf(surroundings), ...trust };
  const { kept, removed, refused } = await prune(store, { ...options, ...(signal ? { signal } : {}) });
  const told = refused.slice(0, TOLD).map(({ error }) => `${error.code}: ${error.message}`);
  return { kept, removed, ...(told.length > 0 ? { refused: told } : {}) };
}

/** The backup and the log that were asked for, each authentic and of a release that the version can read. */
async function find<P>(
  { wanted, version }: { readonly wanted: Wanted; readonly version: string },
  { store, reading, surroundings }: Found<P>,
): Promise<{ readonly full: Manifest; readonly log: readonly Manifest[] }> {
  const full = await findBackup(store, wanted, reading);
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
  return { full, log: isWhole ? [] : await findLog(store, { full, until }, { ...reading, positions }) };
}

interface Found<P> {
  readonly store: Store;
  readonly reading: Reading;
  readonly surroundings: Surroundings<P>;
}

async function open<P>(job: StoreWork, surroundings: Surroundings<P>): Promise<Found<P> & AsyncDisposable> {
  const { paths = PATHS, signal } = surroundings;
  const store = await openStore(job.store, surroundings);
  const reading = { ...(await readTrust(job, paths.encryption)), ...(signal ? { signal } : {}) };
  return { store, reading, surroundings, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** Reads all of the backup: no member may be stopped for a backup that cannot be restored. */
async function describe<P>(job: JobOf<"describe">, surroundings: Surroundings<P>): Promise<JobResult> {
  await using found = await open(job, surroundings);
  const { store, reading } = found;
  const { full, log } = await find(job, found);
  for (const manifest of [full, ...log]) {
    for await (const part of readContent(contentOf(manifest), { ...reading, store })) void part;
  }
  return { ok: true, manifest: withoutSpec(full), digest: digestOf(full) };
}

/** Replaces what an interrupted attempt left. */
async function fetchBackup<P>(job: JobOf<"fetch">, surroundings: Surroundings<P>): Promise<JobResult> {
  if (await exists(job.unless)) return { ok: true };
  await using found = await open(job, surroundings);
  const { store, reading } = found;
  const { full, log } = await find(job, found);
  await rm(job.to, { recursive: true, force: true });
  await mkdir(join(job.to, "log"), { recursive: true });
  await save(readContent(contentOf(full), { ...reading, store }), join(job.to, "content"));
  for (const [at, piece] of log.entries()) {
    const path = join(job.to, "log", String(at).padStart(6, "0"));
    await save(readContent(contentOf(piece), { ...reading, store }), `${path}.data`);
    await writeFile(`${path}.to`, piece.position);
  }
  return { ok: true, manifest: withoutSpec(full), digest: digestOf(full) };
}

async function download<P>(
  { object, to, unless, ...job }: JobOf<"download">,
  surroundings: Surroundings<P>,
): Promise<JobResult> {
  if (await exists(unless)) return { ok: true };
  await using found = await open(job, surroundings);
  const { store, reading } = found;
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const how = object.endsWith(".gz") ? "gzip" : object.endsWith(".zst") ? "zstd" : "none";
  await save(decompress(await store.get(object, callOf(reading)), how), join(to, "content"));
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
  await using found = await open(job, surroundings);
  const { store, reading } = found;
  const manifest = await readManifest(store, job.backup, reading);
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
    : { ok: true, ...(await pruneAfter(manifest, job.retention, { ...reading, store, surroundings })) };
}

async function openStore<P>(
  job: StoreJob,
  { clock, random, paths = PATHS }: Surroundings<P>,
): Promise<Store & AsyncDisposable> {
  if (job.kind === "volume") {
    const store = openDirectory({ root: paths.volume, ...(job.path === "" ? {} : { path: job.path }) });
    return { ...store, [Symbol.asyncDispose]: async () => {} };
  }
  const { kind: _kind, ...bucket } = job;
  const [accessKeyId, secretAccessKey, sessionToken] = await Promise.all(
    ["accessKeyId", "secretAccessKey", "sessionToken"].map((key) => readText(join(paths.credentials, key))),
  );
  const ca = await readText(join(paths.storeCa, FILES.storeCa));
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StoreError("Denied", "the Secret with the store's credentials needs accessKeyId and secretAccessKey");
  }
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const store = openS3({ ...bucket, credentials, ...(ca === undefined ? {} : { ca }), clock, random });
  return { ...store, [Symbol.asyncDispose]: async () => store[Symbol.dispose]() };
}

async function readTrust({ isEncrypted, allowUnencrypted = false }: StoreWork, folder: string): Promise<Trust> {
  return isEncrypted ? { key: parseKey(await readFile(join(folder, FILES.key))), allowUnencrypted } : {};
}

/** Content of a file, or undefined if it does not exist. Strips the trailing line end, which is never intended. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/\r?\n$/u, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void, void> {
  yield content;
}
