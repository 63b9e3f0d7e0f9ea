/** The process and the files of a member on this machine: both clusters run their pods here. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { VolumeSpec } from "../breakage.ts";
import type { Scene } from "../scene.ts";

/** Kills the etcd of a member; its kubelet may start it again. */
export async function killProcess(scene: Scene, member: string): Promise<void> {
  const volume = await volumeOf(scene, member);
  for (const pid of await processesOn(volume.name)) process.kill(pid, "SIGKILL");
}

/** The folder with the data of a member, on this machine. */
export async function dataFolder(scene: Scene, member: string): Promise<string> {
  const { spec } = await volumeOf(scene, member);
  return join(scene.ground.breakage.folderOf(spec), "data", "member");
}

async function volumeOf(scene: Scene, member: string): Promise<{ readonly name: string; readonly spec: VolumeSpec }> {
  const claim = await scene.kube.get(scene.path("persistentvolumeclaims", `data-${member}`));
  const { volumeName: name = "" } = (claim?.["spec"] ?? {}) as { volumeName?: string };
  const volume = await scene.kube.get(`/api/v1/persistentvolumes/${name}`);
  if (volume === undefined) throw new Error(`${member} has no volume`);
  return { name, spec: volume["spec"] as VolumeSpec };
}

/** Where members have their volume. */
const MOUNT_POINT = "/var/lib/etcd";

/** Processes of etcd that have a volume for their data: its name has a uid in it, so that nobody else's can be meant. */
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
    // It ended meanwhile.
    return false;
  }
}
