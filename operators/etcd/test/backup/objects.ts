/** EtcdBackups and EtcdRestores as a user writes and reads them, and the contents to compare afterwards. */
import type { EtcdClient } from "../../src/etcd/index.ts";
import type { Scene } from "../stories/scene.ts";

const GROUP = "/apis/etcd.capstan.dev/v1";
const KINDS = { EtcdBackup: "etcdbackups", EtcdRestore: "etcdrestores" } as const;

/** One object, by kind and name. */
export type Which = readonly [kind: keyof typeof KINDS, name: string];

/** The status fields that the stories read. */
export interface BackupStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly last?: { readonly name: string; readonly verified?: string };
}

export async function put(scene: Scene, [kind, name]: Which, spec: object): Promise<void> {
  const metadata = { name, namespace: scene.ground.namespace };
  const object = { apiVersion: "etcd.capstan.dev/v1", kind, metadata, spec };
  await scene.kube.apply(pathOf(scene, [kind, name]), object);
}

/** The status of an object; empty if the object does not exist. */
export async function read(scene: Scene, which: Which): Promise<BackupStatus> {
  const object = (await scene.kube.get(pathOf(scene, which))) as { readonly status?: BackupStatus } | undefined;
  return object?.status ?? {};
}

/** Waits until the object has reached a final phase. */
export async function ended(scene: Scene, which: Which, phase = "Succeeded"): Promise<BackupStatus> {
  let last: BackupStatus = {};
  const look = async (): Promise<BackupStatus | false> => {
    last = await read(scene, which);
    return last.phase === phase && last;
  };
  return await scene.until(`${which.join(" ")}: ${phase}`, look).catch((error: unknown) => {
    throw new Error(`${which.join(" ")}: ${JSON.stringify(last)}`, { cause: error });
  });
}

/** Creates a PersistentVolumeClaim for backups. */
export async function makeClaim(scene: Scene, name: string): Promise<void> {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const metadata = { name, namespace: scene.ground.namespace };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
  await scene.kube.apply(scene.path("persistentvolumeclaims", name), claim);
}

/** Every key with its value and its revisions. */
export async function contentOf(scene: Scene): Promise<readonly string[]> {
  return await scene.until("all keys are read", async () => {
    await using client = await anyMember(scene);
    const { kvs } = await client.kv.range({ prefix: "" });
    return kvs.map(
      ({ key, value, createRevision, modRevision }) =>
        `${key.toString()} ${createRevision} ${modRevision} ${value.toString("hex")}`,
    );
  });
}

export async function anyMember(scene: Scene): Promise<EtcdClient> {
  const { status } = await scene.cluster();
  return scene.member(status?.leader ?? "");
}

function pathOf(scene: Scene, [kind, name]: Which): string {
  return scene.path(KINDS[kind], name, GROUP);
}
