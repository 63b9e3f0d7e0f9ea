/** The process and the files of a member on this machine: both clusters run their pods here. */
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { VolumeSpec } from "../breakage.ts";
import type { Scene } from "../scene.ts";

/** Kills the etcd process of a member; its kubelet may start it again. */
export async function killProcess(scene: Scene, member: string): Promise<void> {
  const volume = await volumeOf(scene, `data-${member}`);
  for (const pid of await processesOn(volume.name)) end(pid);
}

/** Deletes all data of a member while it does not run, so that its next start finds none. */
export async function emptyData(scene: Scene, member: string): Promise<void> {
  const { name } = await volumeOf(scene, `data-${member}`);
  const folder = await dataFolder(scene, member);
  await scene.until(`${member} has no data and does not run`, async () => {
    for (const pid of await processesOn(name)) end(pid);
    await rm(folder, { recursive: true, force: true });
    // A process that started meanwhile may have read its data, or written new data.
    return (await processesOn(name)).length === 0 && !existsSync(folder);
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // The process ended meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The folder with the data of a member, on this machine. */
export async function dataFolder(scene: Scene, member: string): Promise<string> {
  return join(await claimFolder(scene, `data-${member}`), "data", "member");
}

/** The folder of a claim's volume, on this machine. */
export async function claimFolder(scene: Scene, claim: string): Promise<string> {
  const { spec } = await volumeOf(scene, claim);
  return scene.ground.breakage.folderOf(spec);
}

async function volumeOf(scene: Scene, name: string): Promise<{ readonly name: string; readonly spec: VolumeSpec }> {
  const claim = await scene.kube.get(scene.path("persistentvolumeclaims", name));
  const { volumeName = "" } = (claim?.["spec"] ?? {}) as { volumeName?: string };
  const volume = await scene.kube.get(`/api/v1/persistentvolumes/${volumeName}`);
  if (volume === undefined) throw new Error(`${name} has no volume`);
  return { name: volumeName, spec: volume["spec"] as VolumeSpec };
}

/** The mount point of a member's volume. */
const MOUNT_POINT = "/var/lib/etcd";

/** Processes of etcd with this volume. The volume's name contains a uid, so it matches no other process. */
async function processesOn(volume: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const found = await Promise.all(pids.map(async (pid) => ((await isEtcdOn(pid, volume)) ? [pid] : [])));
  return found.flat();
}

async function isEtcdOn(pid: number, volume: string): Promise<boolean> {
  try {
    const [name, mounts] = await Promise.all(
      ["comm", "mountinfo"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8")),
    );
    const isData = (line: string): boolean => line.includes(volume) && line.includes(` ${MOUNT_POINT} `);
    return name?.trim() === "etcd" && mounts?.split("\n").some(isData) === true;
  } catch {
    // The process ended meanwhile.
    return false;
  }
}
