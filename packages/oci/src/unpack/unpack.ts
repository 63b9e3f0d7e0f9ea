/** Unpacks layers to a folder, safely: whatever a layer contains, it can touch nothing but that folder. */
import { chmod, chown, link, lchown, lstat, mkdir, open, readdir, rm, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { verified } from "../digest.ts";
import { OciError } from "../errors.ts";
import type { Compression } from "../media-types.ts";
import { type ReadEntry, readTar } from "../tar/read.ts";
import { decompress } from "./decompress.ts";
import { partsOf, resolveInside, Steps } from "./safe-path.ts";

/** Options of unpacking. */
export interface UnpackOptions {
  /** `keep` sets owners and needs root; with `mine` all files belong to this user. */
  readonly owners: "keep" | "mine";
  /** A deleted file of a lower layer: remove it here (layers in one folder), or leave an overlay mark (a folder for each layer). */
  readonly whiteouts: "remove" | { readonly mark: (path: string, kind: "file" | "opaque") => Promise<void> };
  readonly maxBytes?: number;
  readonly maxEntries?: number;
  /** The digest of the uncompressed layer in the image's configuration, which the unpacked bytes must match. */
  readonly diffId?: string | undefined;
}

const defaults = { maxBytes: 16 * 2 ** 30, maxEntries: 1_000_000 };

/** Unpacks one layer over the content of the folder; returns the total size of its files. */
export async function unpackLayer(
  chunks: AsyncIterable<Uint8Array>,
  compression: Compression,
  folder: string,
  options: UnpackOptions,
): Promise<{ readonly bytes: number }> {
  const limits = { ...defaults, ...options };
  let bytes = 0;
  let entries = 0;
  const written = new Set<string>();
  const steps = new Steps();
  const plain = bounded(decompress(chunks, compression), limits.maxBytes + limits.maxEntries * bytesAnEntry);
  const trusted = options.diffId === undefined ? plain : verified(plain, { digest: options.diffId });
  for await (const entry of readTar(trusted)) {
    entries++;
    bytes += entry.size;
    if (entries > limits.maxEntries) throw tooLarge(`${limits.maxEntries} files`);
    if (bytes > limits.maxBytes) throw tooLarge(`${limits.maxBytes} bytes`);
    steps.addEntry();
    await place(entry, folder, { ...options, written, steps });
  }
  // An archive may continue after its end: these bytes belong to its digest, too.
  for await (const chunk of trusted) {
    bytes += chunk.length;
    if (bytes > limits.maxBytes) throw tooLarge(`${limits.maxBytes} bytes`);
  }
  return { bytes };
}

/** The average size of headers, names and padding of an entry. */
const bytesAnEntry = 4096;

/** Limits the uncompressed size of the archive: headers and bytes after the end count, too. */
async function* bounded(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) throw tooLarge(`${most} bytes`);
    yield chunk;
  }
}

interface Placing extends UnpackOptions {
  /** The paths that this layer wrote, with the folders above: an opaque whiteout hides only what was there before. */
  readonly written: Set<string>;
  readonly steps: Steps;
}

async function place(entry: ReadEntry, root: string, options: Placing): Promise<void> {
  const parts = partsOf(entry.path);
  const name = parts.at(-1);
  if (name === undefined) return;
  const path = await resolveInside(root, parts, options.steps);
  if (name.startsWith(".wh.")) return whiteOut(path, name, options);
  await makeAbove(path);
  await clearFor(entry, path);
  await make(entry, path, { root, steps: options.steps });
  await dress(entry, path, options);
  for (let one = path; one.length > root.length && !options.written.has(one); one = dirname(one))
    options.written.add(one);
}

/** Creates folders that the layer itself does not have, accessible to all users whatever the umask of this process. */
async function makeAbove(path: string): Promise<void> {
  const folder = dirname(path);
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755);
}

async function whiteOut(path: string, name: string, { whiteouts, written }: Placing): Promise<void> {
  const folder = dirname(path);
  const opaque = name === ".wh..wh..opq";
  if (!opaque && name.startsWith(".wh..wh.")) return;
  const hidden = name.slice(".wh.".length);
  if (hidden === "" || hidden === "." || hidden === "..")
    throw new OciError("UnsafeLayer", `the layer deletes ${JSON.stringify(hidden)}, which is no name of a file`);
  const target = opaque ? folder : join(folder, hidden);
  if (whiteouts !== "remove") return whiteouts.mark(target, opaque ? "opaque" : "file");
  if (!opaque) return rm(target, { recursive: true, force: true });
  for (const child of await readdir(folder).catch(() => [])) {
    const below = join(folder, child);
    if (!written.has(below)) await rm(below, { recursive: true, force: true });
  }
}

/** Replaces an old entry with a new one, but a folder over a folder keeps its content. */
async function clearFor(entry: ReadEntry, path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined || (there.isDirectory() && entry.type === "directory")) return;
  await rm(path, { recursive: true, force: true });
}

async function make(
  entry: ReadEntry,
  path: string,
  { root, steps }: { readonly root: string; readonly steps: Steps },
): Promise<void> {
  switch (entry.type) {
    case "file":
      return writeFile(entry, path);
    case "directory":
      await mkdir(path, { recursive: true });
      return;
    case "symlink":
      return symlink(entry.target, path);
    case "link":
      return link(await resolveInside(root, partsOf(entry.target), steps), path);
    case "character":
    case "block":
    case "fifo":
      // A container gets its devices from the node; a device in an image could be anything, so it is left out.
      return;
  }
}

async function writeFile(entry: ReadEntry, path: string): Promise<void> {
  // Exclusive and without following links: no other process can have put a file at this path.
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of entry.body()) await file.write(chunk);
  } finally {
    await file.close();
  }
}

async function dress(entry: ReadEntry, path: string, { owners }: Placing): Promise<void> {
  if (entry.type === "character" || entry.type === "block" || entry.type === "fifo" || entry.type === "link") return;
  if (entry.type === "symlink") return owners === "keep" ? lchown(path, entry.uid, entry.gid) : undefined;
  if (owners === "keep") await chown(path, entry.uid, entry.gid);
  // A user other than root must be able to read and enter its own files. Setuid and setgid bits are dropped, because they would grant
  // this user's rights.
  const own = entry.type === "directory" ? entry.mode | 0o700 : (entry.mode & 0o1777) | 0o400;
  await chmod(path, owners === "keep" ? entry.mode : own);
  await utimes(path, entry.mtime, entry.mtime);
}

function tooLarge(limit: string): OciError {
  return new OciError(
    "TooLarge",
    `could not unpack the layer: it has more than ${limit}; raise the limit if you trust the image`,
  );
}
