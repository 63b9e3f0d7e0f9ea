/**
 * Resolves a path below a folder one step at a time with open file descriptors, so that a process with write access cannot redirect it
 * between check and use.
 */
import { constants } from "node:fs";
import { mkdir, open, readlink, type FileHandle } from "node:fs/promises";

/** How links are resolved: on a disk from its root, in a volume only within it, or not at all. */
export type Links = "disk" | "volume" | "nowhere";

/** What a walk needs. */
export interface Walk {
  readonly root: string;
  readonly path: string;
  readonly links: Links;
  /** What to create if it is missing: folders on the way, and this at the end. */
  readonly make: "folder" | "file" | "nothing";
}

/** The type of file at the end of a walk. */
export type Found =
  | "folder"
  | "file"
  | "socket"
  | "character device"
  | "block device"
  | "other"
  | "missing"
  | "outside";

/** The end of a walk. */
export interface WalkEnd extends AsyncDisposable {
  readonly found: Found;
  readonly isNew: boolean;
  /** A path to exactly the file that was found, valid until this is disposed of. */
  readonly path: string;
}

/** O_PATH opens no content: opening a pipe must not wait for a writer. */
const placeOnly = 0o10000000;
const place = placeOnly | constants.O_NOFOLLOW;
const mostLinks = 40;

/** Walks; the file descriptors stay open until disposal. */
export async function walkInside(walk: Walk): Promise<WalkEnd> {
  const held: FileHandle[] = [];
  const release = async (): Promise<void> => {
    for (const handle of held.splice(0)) await handle.close();
  };
  try {
    const { found, isNew } = await step(walk, held);
    const end = held.at(-1);
    return { found, isNew, path: end === undefined ? "" : pathOf(end), [Symbol.asyncDispose]: release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The last descriptor is the current position; those before it are its parent folders. */
async function step(
  { root, path, links, make }: Walk,
  held: FileHandle[],
): Promise<{ readonly found: Found; readonly isNew: boolean }> {
  const back = async (count: number): Promise<void> => {
    for (const handle of held.splice(count)) await handle.close();
  };
  held.push(await open(root, placeOnly));
  let rest = partsOf(path);
  let linksSeen = 0;
  let isNew = false;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === "..") {
      if (held.length === 1 && links !== "disk") return { found: "outside", isNew };
      await back(Math.max(1, held.length - 1));
      continue;
    }
    const next = `${pathOf(held.at(-1))}/${part}`;
    const isLast = rest.length === 0;
    const { handle, made } = await enter(next, isLast ? make : make === "nothing" ? "nothing" : "folder");
    if (handle === undefined) return { found: "missing", isNew };
    isNew = made;
    const info = await handle.stat();
    if (!info.isSymbolicLink()) {
      held.push(handle);
      continue;
    }
    await handle.close();
    if (links === "nowhere") return { found: "outside", isNew };
    const target = await readlink(next).catch(ignoreChanged);
    if (++linksSeen > mostLinks) throw new Error(`ELOOP: too many links in ${path}`);
    if (target === undefined) {
      // Another process replaced the entry meanwhile: its new type counts.
      rest = [part, ...rest];
      continue;
    }
    if (target.startsWith("/")) {
      if (links === "volume") return { found: "outside", isNew };
      await back(1);
    }
    rest = [...partsOf(target), ...rest];
  }
  return { found: await kindOf(held.at(-1)), isNew };
}

async function enter(
  path: string,
  make: Walk["make"],
): Promise<{ readonly handle: FileHandle | undefined; readonly made: boolean }> {
  const there = await openPlace(path);
  if (there !== undefined || make === "nothing") return { handle: there, made: false };
  if (make === "folder") await mkdir(path).catch(ignoreExisting);
  else await (await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644)).close();
  return { handle: await openPlace(path), made: true };
}

async function openPlace(path: string): Promise<FileHandle | undefined> {
  return open(path, place).catch((error: NodeJS.ErrnoException) => {
    // A path below a file does not exist either.
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

function ignoreChanged(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EINVAL" && error.code !== "ENOENT") throw error;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function pathOf(handle: FileHandle | undefined): string {
  return `/proc/self/fd/${handle?.fd ?? -1}`;
}

async function kindOf(handle: FileHandle | undefined): Promise<Found> {
  const info = await handle?.stat();
  if (info === undefined) return "missing";
  if (info.isDirectory()) return "folder";
  if (info.isFile()) return "file";
  if (info.isSocket()) return "socket";
  if (info.isCharacterDevice()) return "character device";
  return info.isBlockDevice() ? "block device" : "other";
}
