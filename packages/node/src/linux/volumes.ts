/** The volumes of a pod as folders of the node. */
import { join } from "node:path";
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { Container, Volume, VolumeMount } from "@capstan/kinds/v1";
import { expand } from "../environment/expand.ts";
import { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { VolumeFile, Volumes } from "../runtime/runtime.ts";
import { usedVolumes } from "../volume/used.ts";
import type { Found } from "./shim/inside-walk.ts";
import type { Mount } from "./launch.ts";
import type { BindRequest } from "./protocol.ts";
import { withinRoot } from "./within-root.ts";

/** Files, and their group. */
export interface VolumeFiles {
  readonly files: ReadonlyMap<string, VolumeFile>;
  readonly group: number | undefined;
}

/** Where volumes are. */
export interface VolumePlace {
  /** The folder of the pod. */
  readonly folder: string;
  /** The disk that the pod sees as that of its node: `hostPath` never reaches the machine's own files. */
  readonly disk: string;
  /** Creates a world-writable folder. */
  readonly makeFolder: (folder: string) => Promise<void>;
  /** Makes a folder contain exactly these files. */
  readonly writeFiles: (folder: string, content: VolumeFiles) => Promise<void>;
  /** Mounts a tmpfs on a folder. */
  readonly mountMemory: (folder: string, bytes: bigint | undefined) => Promise<void>;
  /** Bind-mounts a path below a folder at another path. */
  readonly bind: (what: BindRequest) => Promise<Found>;
  /** Changes the group of all files of a folder. */
  readonly give: (folder: string, group: number) => Promise<void>;
}

/** The folder of a volume. */
export interface VolumeFolder {
  readonly folder: string;
  /** Pods may not write to it: the node relies on its content, or the pod requested it. */
  readonly readOnly?: true;
  /** Bind-mounts a subpath at a separate path, so that later changes of links do not affect it. */
  readonly part: (path: string, slot: string) => Promise<string>;
}

/** The volumes of a pod by name. */
export type VolumeFolders = ReadonlyMap<string, VolumeFolder>;

/** Creates the volumes of a pod. */
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
    // The message of the system without paths of the node.
    const why = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/^E[A-Z]+: /, "").split(",")[0];
    throw new NodeError("FailedMount", `MountVolume.SetUp failed for volume "${name}" : ${why}`, { cause: thrown });
  };
}

/** Updates the files of volumes. */
export async function updateVolumes(pod: BoundPod, contents: Volumes, place: VolumePlace): Promise<void> {
  const group = pod.spec.securityContext?.fsGroup;
  for (const [name, content] of contents) {
    if (content.type === "files") await place.writeFiles(folderOf(place, name), { files: content.files, group });
  }
}

function folderOf({ folder }: VolumePlace, name: string): string {
  return join(folder, "volumes", name);
}

/** Creates the folder of a volume; returns whether it is read-only for pods. */
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

/** Links resolve within the disk of the node, and never lead to the machine's files. */
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

/** The required file type for each `hostPath` type, and its name in messages. */
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

/** The volume mounts of a container, outer folders first. */
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
  /** Distinguishes this mount from the other ones of the pod. */
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

/** Messages must not reveal where the node stores volumes: failures are reported in the words of the kubelet. */
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

/** A path with an unresolved reference is an error, not a literal path. */
function expandAll(text: string, env: ReadonlyMap<string, string>): string {
  for (const [, name = ""] of text.replaceAll("$$", "").matchAll(/\$\(([^()]*)\)/g))
    if (!env.has(name)) throw badPath(`missing value for ${name}`);
  return expand(text, env);
}

/** The folder of the subpath mounts of a pod. */
export const partsFolder = "parts";

/** The subpath of a mount, created if missing; links must not lead out of the volume. */
async function showPart(
  place: VolumePlace,
  root: string,
  { path, slot }: { readonly path: string; readonly slot: string },
): Promise<string> {
  if (path.startsWith("/")) throw badPath(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split("/").includes("..")) throw badPath(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  const to = join(place.folder, partsFolder, slot);
  // A user that may write to the volume may write to a new subpath, as with a kubelet: many programs run without the right to change
  // that.
  const found = await place.bind({ root, path, links: "volume", make: "folder", modeIfNew: "the root's", to });
  if (found === "outside" || found === "missing") throw new NodeError("Internal", `${path} leaves the volume`);
  return to;
}
