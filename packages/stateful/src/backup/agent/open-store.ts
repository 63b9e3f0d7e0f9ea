/** Opens the store of a job with the Secrets that are mounted in the agent's pod. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/model";
import { openDirectory, openS3, StoreError } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import type { Catalog } from "../catalog.ts";
import { parseKey } from "../encryption.ts";
import type { ManifestFormat, StoredManifest } from "../manifest-format.ts";
import type { Trust } from "../seal.ts";
import { FILES, PATHS } from "./job.ts";
import type { StoreJob, StoreWork } from "./job.ts";

/**
 * What an agent needs of its surroundings to open a store.
 *
 * @example
 * const seen: AgentSurroundings = { clock: systemClock, random: () => Math.random() };
 */
export interface AgentSurroundings {
  readonly clock: Clock;
  readonly random: () => number;
  /** Default: the paths of a pod. */
  readonly paths?: { readonly [Place in "credentials" | "storeCa" | "encryption" | "volume"]: string };
  readonly signal?: AbortSignal;
}

/**
 * The backups in the store of a job. Without `isEncrypted` the store is trusted.
 *
 * @example
 * const open = async <M extends StoredManifest>(job: StoreWork, format: ManifestFormat<M>) =>
 *   await openCatalog(job, format, { clock: systemClock, random: () => Math.random() });
 */
export async function openCatalog<M extends StoredManifest>(
  { store: job, ...work }: StoreWork,
  format: ManifestFormat<M>,
  surroundings: AgentSurroundings,
): Promise<Catalog<M> & Disposable> {
  const { paths = PATHS, signal } = surroundings;
  const trust = await readTrust(work, paths.encryption);
  const store = await openStore(job, surroundings);
  return { store, format, ...trust, ...(signal ? { signal } : {}), [Symbol.dispose]: () => store[Symbol.dispose]() };
}

async function openStore(
  job: StoreJob,
  { clock, random, paths = PATHS }: AgentSurroundings,
): Promise<Store & Disposable> {
  if (job.kind === "volume") {
    const store = openDirectory({ root: paths.volume, ...(job.path === "" ? {} : { path: job.path }) });
    return { ...store, [Symbol.dispose]: () => {} };
  }
  const { kind: _kind, ...bucket } = job;
  const [accessKeyId, secretAccessKey, sessionToken] = await Promise.all(
    ["accessKeyId", "secretAccessKey", "sessionToken"].map((key) => readMounted(join(paths.credentials, key))),
  );
  const ca = await readMounted(join(paths.storeCa, FILES.storeCa));
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StoreError("Denied", "the Secret with the store's credentials needs accessKeyId and secretAccessKey");
  }
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return openS3({ ...bucket, credentials, ...(ca === undefined ? {} : { ca }), clock, random });
}

async function readTrust(
  { isEncrypted, allowUnencrypted = false }: Omit<StoreWork, "store">,
  folder: string,
): Promise<Trust> {
  return isEncrypted ? { key: parseKey(await readFile(join(folder, FILES.key))), allowUnencrypted } : {};
}

/**
 * The content of a file without its last line end, which is never intended; undefined if the file does not exist.
 *
 * @example
 * const token = await readMounted("/etc/store/token");
 */
export async function readMounted(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/\r?\n$/u, "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
