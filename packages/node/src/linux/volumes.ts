/** The volumes of a pod as folders of the node. */
import { chmod, chown, lstat, mkdir, open, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { Container, Volume, VolumeMount } from "@capstan/kinds/v1";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { Volumes } from "../runtime/runtime.ts";
import { writeFiles } from "./atomic-files.ts";
import type { Mount } from "./launch.ts";

/** Where volumes are. */
export interface VolumePlace {
  /** The folder of the pod. */
  readonly folder: string;
  /** What the pod takes for the disk of its node: `hostPath` never reaches the machine's own files. */
  readonly disk: string;
  /** Names new contents. */
  readonly stamp: string;
  /** Mounts a file system of memory on a folder; gives the path by which this process sees what is in it. */
  readonly mountMemory: (folder: string, bytes: bigint | undefined) => Promise<string>;
}

/** Where a volume is. */
export interface VolumeFolder {
  readonly folder: string;
  /** The path by which this process sees its content, where that is mounted only in the node's namespaces. */
  readonly memory?: string;
  /** The node writes it and believes what it finds there, so nobody else may. */
  readonly readOnly?: true;
}

/** The volumes of a pod by name. */
export type VolumeFolders = ReadonlyMap<string, VolumeFolder>;

/** Makes the volumes of a pod. */
export async function placeVolumes(pod: BoundPod, contents: Volumes, place: VolumePlace): Promise<VolumeFolders> {
  const folders = new Map<string, VolumeFolder>();
  const group = pod.spec.securityContext?.fsGroup;
  for (const volume of pod.spec.volumes ?? []) {
    const placed = await placeOne(volume, contents, { ...place, group });
    if (group !== undefined && volume.hostPath === undefined && contents.get(volume.name)?.type !== "files")
      await giveToGroup(placed.memory ?? placed.folder, group);
    folders.set(volume.name, placed);
  }
  return folders;
}

/** Brings the files of volumes up to date. */
export async function updateVolumes(pod: BoundPod, contents: Volumes, place: VolumePlace): Promise<void> {
  const group = pod.spec.securityContext?.fsGroup;
  for (const [name, content] of contents) {
    if (content.type === "files") await writeFiles(folderOf(place, name), content.files, { stamp: place.stamp, group });
  }
}

function folderOf({ folder }: VolumePlace, name: string): string {
  return join(folder, "volumes", name);
}

async function placeOne(
  volume: Volume,
  contents: Volumes,
  place: VolumePlace & { readonly group: number | undefined },
): Promise<VolumeFolder> {
  const { name, emptyDir, hostPath } = volume;
  const content = contents.get(name);
  const folder = folderOf(place, name);
  if (content?.type === "files") {
    await writeFiles(folder, content.files, place);
    return { folder, readOnly: true };
  }
  if (content?.type === "claim") {
    const path = join(place.disk, content.path ?? join("volumes", content.volume));
    if (await makeFolder(path)) await chmod(path, 0o777);
    return { folder: path };
  }
  if (hostPath !== undefined) return { folder: await placeHostPath(name, hostPath, place.disk) };
  if (emptyDir === undefined)
    throw new NodeError(
      "FailedMount",
      `MountVolume.SetUp failed for volume "${name}" : this kind of volume is not supported`,
    );
  if (await makeFolder(folder)) await chmod(folder, 0o777);
  if (emptyDir.medium !== "Memory") return { folder };
  return { folder, memory: await place.mountMemory(folder, sizeOf(emptyDir.sizeLimit)) };
}

function sizeOf(limit: string | undefined): bigint | undefined {
  const bytes = limit === undefined ? 0n : quantityToInteger(parseQuantity(limit), 0);
  return bytes === 0n ? undefined : bytes;
}

/** Says whether the folder is new. */
async function makeFolder(path: string): Promise<boolean> {
  return (await mkdir(path, { recursive: true })) !== undefined;
}

async function placeHostPath(
  name: string,
  { path, type = "" }: NonNullable<Volume["hostPath"]>,
  disk: string,
): Promise<string> {
  const place = join(disk, path);
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) {
    if (type === "FileOrCreate") {
      await mkdir(dirname(place), { recursive: true });
      await (await open(place, "a", 0o644)).close();
      return place;
    }
    if (type !== "" && type !== "DirectoryOrCreate") throw wrongType(name, path, type);
    await mkdir(place, { recursive: true });
    return place;
  }
  const expectsFile = type === "File" || type === "FileOrCreate";
  const expectsFolder = type === "Directory" || type === "DirectoryOrCreate";
  if ((expectsFile && !found.isFile()) || (expectsFolder && !found.isDirectory())) throw wrongType(name, path, type);
  return place;
}

function wrongType(name: string, path: string, type: string): NodeError {
  const what = type === "File" || type === "FileOrCreate" ? "file" : "directory";
  return new NodeError(
    "FailedMount",
    `MountVolume.SetUp failed for volume "${name}" : hostPath type check failed: ${path} is not a ${what}`,
  );
}

/** Files of a volume belong to the pod's group, and so does whatever will be made in it. */
async function giveToGroup(path: string, group: number): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chown(path, -1, group).catch(() => {});
  await chmod(path, entry.mode | (entry.isDirectory() ? 0o2770 : 0o660)).catch(() => {});
  if (entry.isDirectory()) for (const name of await readdir(path)) await giveToGroup(join(path, name), group);
}

/** What a container sees of the volumes, outer folders first. */
export async function mountsOf(
  { volumeMounts = [] }: Container,
  folders: VolumeFolders,
  env: ReadonlyMap<string, string>,
): Promise<readonly Mount[]> {
  const mounts = await Promise.all(volumeMounts.map((mount) => mountOf(mount, folders, env)));
  return mounts.toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

async function mountOf(mount: VolumeMount, folders: VolumeFolders, env: ReadonlyMap<string, string>): Promise<Mount> {
  const volume = folders.get(mount.name);
  if (volume === undefined)
    throw new NodeError("CreateContainerConfigError", `cannot find volume "${mount.name}" to mount`);
  const inner = mount.subPathExpr === undefined ? (mount.subPath ?? "") : expandAll(mount.subPathExpr, env);
  const to = mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`;
  return { from: await inside(volume, inner), to, readOnly: mount.readOnly === true || volume.readOnly === true };
}

function badPath(message: string): NodeError {
  return new NodeError("CreateContainerConfigError", message);
}

/** A path with a reference that leads nowhere would be another path. */
function expandAll(text: string, env: ReadonlyMap<string, string>): string {
  for (const [, name = ""] of text.replaceAll("$$", "").matchAll(/\$\(([^()]*)\)/g))
    if (!env.has(name)) throw badPath(`missing value for "${name}"`);
  return expand(text, env);
}

/** The part of a volume that a mount names, made if it is not there; links must not lead out of the volume. */
async function inside({ folder, memory }: VolumeFolder, path: string): Promise<string> {
  if (path === "") return folder;
  if (path.startsWith("/")) throw badPath(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split("/").includes("..")) throw badPath(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  if (memory !== undefined) {
    await makeWithoutLinks(memory, path);
    return join(folder, path);
  }
  const root = await realpath(folder);
  let current = root;
  for (const part of path.split("/").filter((one) => one !== "")) {
    const next = join(current, part);
    await mkdir(next).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    current = await realpath(next);
    if (current !== root && !current.startsWith(`${root}/`))
      throw badPath(`failed to prepare subPath for volumeMount: "${path}" leaves the volume`);
  }
  return current;
}

/** In memory there are no files of objects, so nothing in the way has a reason to be a link. */
async function makeWithoutLinks(folder: string, path: string): Promise<void> {
  let current = folder;
  for (const part of path.split("/").filter((one) => one !== "")) {
    current = join(current, part);
    const found = await lstat(current).catch(() => undefined);
    if (found?.isSymbolicLink() === true)
      throw badPath(`failed to prepare subPath for volumeMount: "${path}" leaves the volume`);
    if (found === undefined) await mkdir(current);
  }
}
