/** The shim's operations on files of volumes: pods can write there, so it uses only open file descriptors. */
import { chmod, chown, lstat, open, readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "../make-folders.ts";
import type { BindRequest } from "../protocol.ts";
import { walkInside, type Found } from "./inside-walk.ts";

/** Runs a command and returns its exit code. */
export type Run = (argv: readonly string[]) => Promise<{ readonly code: number; readonly stderr: string }>;

/**
 * Bind-mounts a path below a folder at a path that only the node writes to. Returns the type that was found; an unexpected type is not
 * mounted.
 */
export async function bindInside({ to, expect, modeIfNew, ...walk }: BindRequest, run: Run): Promise<Found> {
  await using end = await walkInside(walk);
  const { found, isNew, path } = end;
  if (found === "missing" || found === "outside" || (expect !== undefined && found !== expect)) return found;
  if (isNew && modeIfNew !== undefined)
    await chmod(path, modeIfNew === "the root's" ? (await stat(walk.root)).mode & 0o7777 : modeIfNew);
  await makeTarget(to, found, run);
  // By the pid of this process: `self` would be the command, which has other files open.
  const from = path.replace("self", String(process.pid));
  const { code, stderr } = await run(["mount", "--no-canonicalize", "--bind", from, to]);
  if (code !== 0) throw new Error(`could not mount ${walk.path}: ${stderr.trim()}`);
  return found;
}

/** A mount of an earlier try may still be there. */
async function makeTarget(to: string, found: Found, run: Run): Promise<void> {
  const isThere = await lstat(to).then(
    () => true,
    () => false,
  );
  if (isThere) await run(["umount", "-l", to]);
  makeFolders(dirname(to));
  if (found === "folder") makeFolders(to);
  else await (await open(to, "a")).close();
}

/**
 * Removes a path on a disk that pods write to. Its parent folder is held open, and `rm` follows no links below it, so that a pod cannot
 * swap in another target.
 */
export async function removeInside(
  { root, path }: { readonly root: string; readonly path: string },
  run: Run,
): Promise<void> {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const name = parts.pop();
  if (name === undefined || name === ".." || parts.includes("..")) return;
  await using above = await walkInside({ root, path: parts.join("/"), links: "disk", make: "nothing" });
  if (above.found !== "folder") return;
  const folder = above.path.replace("self", String(process.pid));
  for (let count = 1; ; count++) {
    const { code, stderr } = await run(["rm", "-rf", "--one-file-system", "--", `${folder}/${name}`]);
    if (code === 0) return;
    // A pod may have added or moved a file at the same moment.
    if (count === tries) throw new Error(`could not remove ${path}: ${stderr.trim()}`);
  }
}

const tries = 5;

/** Files of a volume belong to the pod's group, and new files inherit it. Links are skipped. */
export async function giveToGroup(folder: string, group: number): Promise<void> {
  await using end = await walkInside({ root: folder, path: "", links: "nowhere", make: "nothing" });
  await give(end.path, group);
}

async function give(path: string, group: number): Promise<void> {
  const entry = await stat(path);
  await chown(path, -1, group).catch(() => {});
  await chmod(path, entry.mode | (entry.isDirectory() ? 0o2770 : 0o660)).catch(() => {});
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) {
    await using end = await walkInside({ root: path, path: name, links: "nowhere", make: "nothing" });
    if (end.found !== "missing" && end.found !== "outside") await give(end.path, group);
  }
}
