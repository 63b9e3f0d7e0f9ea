/** The volumes of a pod as folders of the node. */
import { join } from "node:path";
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { Container, Volume, VolumeMount } from "@capstan/kinds/v1";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { VolumeFile, Volumes } from "../runtime/runtime.ts";
import { usedVolumes } from "../volume/used.ts";
import type { Found } from "./keeper/inside-walk.ts";
import type { Mount } from "./launch.ts";
import type { BindRequest } from "./protocol.ts";
import { withinRoot } from "./within-root.ts";

/** Files, and the group that they belong to. */
export interface VolumeFiles {
  readonly files: ReadonlyMap<string, VolumeFile>;
  readonly group: number | undefined;
}

/** Where volumes are. */
export interface VolumePlace {
  /** The folder of the pod. */
  readonly folder: string;
  /** What the pod takes for the disk of its node: `hostPath` never reaches the machine's own files. */
  readonly disk: string;
  /** Makes a folder that everybody may write to. */
  readonly makeFolder: (folder: string) => Promise<void>;
  /** Brings a folder to exactly these files. */
  readonly writeFiles: (folder: string, content: VolumeFiles) => Promise<void>;
  /** Mounts a file system of memory on a folder. */
  readonly mountMemory: (folder: string, bytes: bigint | undefined) => Promise<void>;
  /** Shows a place below a folder at another path. */
  readonly bind: (what: BindRequest) => Promise<Found>;
  /** Gives all files of a folder to a group. */
  readonly give: (folder: string, group: number) => Promise<void>;
}

/** Where a volume is. */
export interface VolumeFolder {
  readonly folder: string;
  /** Nobody may write to it: the node believes what it finds there, or the pod said so. */
  readonly readOnly?: true;
  /** Shows a part of it at a place of its own, so that it stays what it is now. */
  readonly part: (path: string, slot: string) => Promise<string>;
}

/** The volumes of a pod by name. */
export type VolumeFolders = ReadonlyMap<string, VolumeFolder>;

/** Makes the volumes of a pod. */
export async function placeVolumes(pod: BoundPod, contents: Volumes, place: VolumePlace): Promise<VolumeFolders> {
  const folders = new Map<string, VolumeFolder>();
  const group = pod.spec.securityContext?.fsGroup;
  const used = usedVolumes(pod.spec);
  for (const volume of pod.spec.volumes ?? []) {
    const otherwise = used.has(volume.name) ? setUpFailure(volume.name) : (): undefined => undefined;
    const isReadOnly = await placeOne(volume, contents, { ...place, group }).catch(otherwise);
    if (isReadOnly === undefined) continue;
    const folder = folderOf(place, volume.name);
    if (group !== undefined && volume.hostPath === undefined && contents.get(volume.name)?.type !== "files")
      await place.give(folder, group);
    const part = (path: string, slot: string): Promise<string> => showPart(place, folder, { path, slot });
    folders.set(volume.name, { folder, part, ...(isReadOnly ? { readOnly: true } : {}) });
  }
  return folders;
}

function setUpFailure(name: string): (thrown: unknown) => never {
  return (thrown) => {
    if (thrown instanceof NodeError && thrown.code === "FailedMount") throw thrown;
    // The words of the system, without the places they are about.
    const why = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/^E[A-Z]+: /, "").split(",")[0];
    throw new NodeError("FailedMount", `MountVolume.SetUp failed for volume "${name}" : ${why}`, { cause: thrown });
  };
}

/** Brings the files of volumes up to date. */
export async function updateVolumes(pod: BoundPod, contents: Volumes, place: VolumePlace): Promise<void> {
  const group = pod.spec.securityContext?.fsGroup;
  for (const [name, content] of contents) {
    if (content.type === "files") await place.writeFiles(folderOf(place, name), { files: content.files, group });
  }
}

function folderOf({ folder }: VolumePlace, name: string): string {
  return join(folder, "volumes", name);
}

/** Brings a volume to its folder; says whether pods may only read it. */
async function placeOne(
  volume: Volume,
  contents: Volumes,
  place: VolumePlace & { readonly group: number | undefined },
): Promise<boolean> {
  const { name, emptyDir, hostPath, persistentVolumeClaim } = volume;
  const content = contents.get(name);
  const folder = folderOf(place, name);
  if (content?.type === "files") {
    await place.writeFiles(folder, { files: content.files, group: place.group });
    return true;
  }
  if (content?.type === "claim") {
    const path = content.path ?? join("volumes", content.volume);
    await place.bind({ root: place.disk, path, links: "disk", make: "folder", modeIfNew: 0o777, to: folder });
    return persistentVolumeClaim?.readOnly === true;
  }
  if (hostPath !== undefined) await placeHostPath(name, hostPath, place);
  else if (emptyDir !== undefined) await placeEmpty(folder, emptyDir, place);
  else
    throw new NodeError(
      "FailedMount",
      `MountVolume.SetUp failed for volume "${name}" : this kind of volume is not supported`,
    );
  return false;
}

async function placeEmpty(
  folder: string,
  { medium, sizeLimit }: NonNullable<Volume["emptyDir"]>,
  place: VolumePlace,
): Promise<void> {
  await place.makeFolder(folder);
  if (medium === "Memory") await place.mountMemory(folder, sizeOf(sizeLimit));
}

function sizeOf(limit: string | undefined): bigint | undefined {
  const bytes = limit === undefined ? 0n : quantityToInteger(parseQuantity(limit), 0);
  return bytes === 0n ? undefined : bytes;
}

/** Links lead where they would on a disk of the node's own, and never to the machine's files. */
async function placeHostPath(
  name: string,
  { path, type = "" }: NonNullable<Volume["hostPath"]>,
  place: VolumePlace,
): Promise<void> {
  const expect = hostPathTypes[type]?.found;
  const make = type === "FileOrCreate" ? "file" : type === "" || type === "DirectoryOrCreate" ? "folder" : "nothing";
  const found = await place.bind({ root: place.disk, path, links: "disk", make, expect, to: folderOf(place, name) });
  if (found === "missing" || (expect !== undefined && found !== expect)) throw wrongType(name, path, type);
}

/** What has to be at a path of each type, and what it is called. */
const hostPathTypes: { readonly [type: string]: { readonly found: Found; readonly words: string } } = {
  Directory: { found: "folder", words: "directory" },
  DirectoryOrCreate: { found: "folder", words: "directory" },
  File: { found: "file", words: "file" },
  FileOrCreate: { found: "file", words: "file" },
  Socket: { found: "socket", words: "socket file" },
  CharDevice: { found: "character device", words: "character device" },
  BlockDevice: { found: "block device", words: "block device" },
};

function wrongType(name: string, path: string, type: string): NodeError {
  const why = `hostPath type check failed: ${path} is not a ${hostPathTypes[type]?.words ?? "directory"}`;
  return new NodeError("FailedMount", `MountVolume.SetUp failed for volume "${name}" : ${why}`);
}

/** What a container sees of the volumes, outer folders first. */
export async function mountsOf(
  { name, volumeMounts = [] }: Container,
  folders: VolumeFolders,
  env: ReadonlyMap<string, string>,
): Promise<readonly Mount[]> {
  const mounts = await Promise.all(
    volumeMounts.map((mount, index) => mountOf(mount, { folders, env, slot: `${name}-${index}` })),
  );
  return mounts.toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

interface MountSources {
  readonly folders: VolumeFolders;
  readonly env: ReadonlyMap<string, string>;
  /** Tells this mount of the pod from its others. */
  readonly slot: string;
}

async function mountOf(mount: VolumeMount, { folders, env, slot }: MountSources): Promise<Mount> {
  const volume = folders.get(mount.name);
  if (volume === undefined)
    throw new NodeError("CreateContainerConfigError", `cannot find volume "${mount.name}" to mount`);
  const path = mount.subPathExpr === undefined ? (mount.subPath ?? "") : expandAll(mount.subPathExpr, env);
  const to = withinRoot(mount.mountPath);
  const from = path === "" ? volume.folder : await volume.part(path, slot).catch(partFailure(mount.name, slot));
  return { from, to, readOnly: mount.readOnly === true || volume.readOnly === true };
}

/** Where the node has its volumes is nobody's business: what it could not do is told as the kubelet tells it. */
function partFailure(name: string, slot: string): (thrown: unknown) => never {
  const container = slot.slice(0, slot.lastIndexOf("-"));
  return (thrown) => {
    if (thrown instanceof NodeError && thrown.code === "CreateContainerConfigError") throw thrown;
    const message = `failed to prepare subPath for volumeMount "${name}" of container "${container}"`;
    throw new NodeError("CreateContainerConfigError", message, { cause: thrown });
  };
}

function badPath(message: string): NodeError {
  return new NodeError("CreateContainerConfigError", message);
}

/** A path with a reference that leads nowhere would be another path. */
function expandAll(text: string, env: ReadonlyMap<string, string>): string {
  for (const [, name = ""] of text.replaceAll("$$", "").matchAll(/\$\(([^()]*)\)/g))
    if (!env.has(name)) throw badPath(`missing value for ${name}`);
  return expand(text, env);
}

/** Where the parts of volumes are shown that mounts of a pod name. */
export const partsFolder = "parts";

/** The part of a volume that a mount names, made if it is not there; links must not lead out of the volume. */
async function showPart(
  place: VolumePlace,
  root: string,
  { path, slot }: { readonly path: string; readonly slot: string },
): Promise<string> {
  if (path.startsWith("/")) throw badPath(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split("/").includes("..")) throw badPath(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  const to = join(place.folder, partsFolder, slot);
  // Whoever may write to the volume may write to a part of it, as with a kubelet: many programs are nobody who could make that so.
  const found = await place.bind({ root, path, links: "volume", make: "folder", modeIfNew: "the root's", to });
  if (found === "outside" || found === "missing") throw new NodeError("Internal", `${path} leaves the volume`);
  return to;
}
