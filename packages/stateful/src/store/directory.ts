/**
 * A folder as a store: a volume, an NFS mount. A file gets its name only when it is complete and synced. Links, pipes and devices are
 * neither followed nor listed.
 */
import { constants, createReadStream } from "node:fs";
import { lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { openBelow, openFile, openFolder, type Folder } from "./folder.ts";
import { checkName, isName, reasonOf, StoreError } from "./store.ts";
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
  const base = path === "" ? [] : checkName(path).split("/");
  const fileOf = (name: string): Place => {
    const parts = [...base, ...checkName(name).split("/")];
    return { root, parts: parts.slice(0, -1), file: parts.at(-1) ?? "" };
  };
  return {
    place: join(root, ...base),
    put: (name, content, call) => translate(`write ${name}`, root, () => writeFile(fileOf(name), content, call)),
    get: (name, call) => translate(`read ${name}`, root, () => readFile(fileOf(name), call)),
    list: (prefix) => translate(`list ${prefix}`, root, () => listFiles({ root, parts: base }, prefix)),
    remove: (name) => translate(`remove ${name}`, root, () => removeFile(fileOf(name))),
  };
}

interface Place {
  readonly root: string;
  readonly parts: readonly string[];
  readonly file: string;
}

async function writeFile(
  { file, ...place }: Place,
  content: AsyncIterable<Uint8Array>,
  call: StoreCall = {},
): Promise<{ bytes: number }> {
  await using folder = await openFolder({ ...place, create: true });
  const unfinished = folder.at(`${file}${UNFINISHED}`);
  try {
    await rm(unfinished, { force: true });
    await using handle = await open(unfinished, createOnly, 0o644);
    const bytes = await writeAll(handle, content, call);
    await handle.sync();
    await rename(unfinished, folder.at(file));
    await syncFolder(folder);
    return { bytes };
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}

/** A link that another program puts at the name is not followed. */
const createOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

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
async function syncFolder(folder: Folder): Promise<void> {
  try {
    await folder.sync();
  } catch (error) {
    if (codeOf(error) === "ENOSPC" || codeOf(error) === "EIO") throw error;
  }
}

/** Opens the file first, so that a missing file fails at once. */
async function readFile({ file, ...place }: Place, { signal }: StoreCall = {}): Promise<AsyncIterable<Buffer>> {
  await using folder = await openFolder(place);
  const handle = await openFile(folder, file);
  return createReadStream("", { fd: handle, highWaterMark: 1 << 18, ...(signal ? { signal } : {}) });
}

async function removeFile({ file, ...place }: Place): Promise<void> {
  try {
    await using folder = await openFolder(place);
    await rm(folder.at(file), { force: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

async function listFiles(place: Omit<Place, "file">, prefix: string): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  try {
    await using folder = await openFolder(place);
    await walk(folder, "", { prefix, found });
  } catch (error) {
    // A missing folder counts as empty.
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Listing {
  readonly prefix: string;
  readonly found: StoredObject[];
}

/** Names that are too long for a store end the descent. */
async function walk(folder: Folder, above: string, listing: Listing): Promise<void> {
  for (const entry of await readdir(folder.at("."), { withFileTypes: true })) {
    const name = `${above}${entry.name}`;
    if (!isName(name)) continue;
    try {
      if (entry.isDirectory()) await walkBelow(folder, entry.name, { name: `${name}/`, listing });
      else if (entry.isFile()) await add(folder.at(entry.name), name, listing);
    } catch (error) {
      // Another program may have removed it meanwhile, or have put a link in its place.
      if (codeOf(error) !== "ENOENT" && !(error instanceof StoreError)) throw error;
    }
  }
}

async function walkBelow(
  folder: Folder,
  part: string,
  { name, listing }: { readonly name: string; readonly listing: Listing },
): Promise<void> {
  if (!name.startsWith(listing.prefix) && !listing.prefix.startsWith(name)) return;
  await using below = await openBelow(folder, part);
  await walk(below, name, listing);
}

async function add(path: string, name: string, { prefix, found }: Listing): Promise<void> {
  if (!name.startsWith(prefix) || name.endsWith(UNFINISHED)) return;
  const info = await lstat(path);
  if (info.isFile()) found.push({ name, bytes: info.size, modified: info.mtime });
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
