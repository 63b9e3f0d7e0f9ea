/** A folder as a store: a volume, an NFS mount. A file gets its name only when it is complete and synced. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { checkName, reasonOf, StoreError } from "./store.ts";
import type { Store, StoreCall, StoreErrorCode, StoredObject } from "./store.ts";

/** Suffix of incomplete files. */
const UNFINISHED = ".unfinished";

/**
 * A store in an existing folder. `path` below it is created when needed.
 *
 * @example
 * const store = openDirectory({ root: "/backups", path: "shop" });
 */
export function openDirectory({ root, path = "" }: { readonly root: string; readonly path?: string }): Store {
  const base = join(root, ...(path === "" ? [] : checkName(path).split("/")));
  const fileOf = (name: string): string => join(base, ...checkName(name).split("/"));
  return {
    place: base,
    put: (name, content, call) => translate(`write ${name}`, root, () => writeFile(fileOf(name), content, call)),
    get: (name, call) => translate(`read ${name}`, root, () => readFile(fileOf(name), call)),
    list: (prefix) => translate(`list ${prefix}`, root, () => listFiles(base, prefix)),
    remove: (name) => translate(`remove ${name}`, root, () => rm(fileOf(name), { force: true })),
  };
}

async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  call: StoreCall = {},
): Promise<{ bytes: number }> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}${UNFINISHED}`;
  try {
    await using file = await open(unfinished, "w");
    const bytes = await writeAll(file, content, call);
    await file.sync();
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return { bytes };
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeAll(file: FileHandle, content: AsyncIterable<Uint8Array>, { signal }: StoreCall): Promise<number> {
  let bytes = 0;
  for await (const part of content) {
    signal?.throwIfAborted();
    for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten;
    bytes += part.length;
  }
  return bytes;
}

/** A rename is durable only after the folder is synced. File systems without support are ignored. */
async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, "r");
    await folder.sync();
  } catch (error) {
    if (codeOf(error) === "ENOSPC" || codeOf(error) === "EIO") throw error;
  }
}

/** Opens the file first, so that a missing file fails at once. */
async function readFile(path: string, { signal }: StoreCall = {}): Promise<AsyncIterable<Buffer>> {
  const file = await open(path, "r");
  return createReadStream(path, { fd: file, highWaterMark: 1 << 18, ...(signal ? { signal } : {}) });
}

async function listFiles(base: string, prefix: string): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for (const entry of await entriesOf(base)) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(base, path);
    if (!entry.isFile() || !name.startsWith(prefix) || name.endsWith(UNFINISHED)) continue;
    const { size, mtime } = await stat(path);
    found.push({ name, bytes: size, modified: mtime });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A missing folder counts as empty. */
async function entriesOf(base: string): ReturnType<typeof readTree> {
  try {
    return await readTree(base);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function readTree(base: string) {
  return readdir(base, { recursive: true, withFileTypes: true });
}

const CODES: ReadonlyMap<string, StoreErrorCode> = new Map([
  ["ENOENT", "NotFound"],
  ["EACCES", "Denied"],
  ["EPERM", "Denied"],
  ["EROFS", "Denied"],
  ["ENOSPC", "Full"],
  ["EDQUOT", "Full"],
  ["EFBIG", "Full"],
  ["ABORT_ERR", "Aborted"],
]);

async function translate<T>(what: string, root: string, run: () => Promise<T>): Promise<T> {
  try {
    await stat(root);
  } catch (cause) {
    throw new StoreError("NoPlace", `could not ${what}: there is no folder ${root}; is the volume mounted?`, { cause });
  }
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const code = CODES.get(codeOf(cause)) ?? "Refused";
    throw new StoreError(code, `could not ${what}: ${reasonOf(cause)}`, { cause });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
