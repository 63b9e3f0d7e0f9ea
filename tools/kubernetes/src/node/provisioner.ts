/** Gives claims of the default storage class a folder of the node that the scheduler chose, and takes it back afterwards. */

import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { askApi, callApi, openApi } from "../api.ts";
import type { Credentials } from "../kubeconfig.ts";
import { PROVISIONER } from "./objects.ts";

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The fields of a PersistentVolumeClaim that matter here. */
export interface Claim {
  readonly metadata: Metadata;
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
}

/** The fields of a PersistentVolume that matter here. */
export interface Volume {
  readonly metadata: Metadata;
  readonly spec: { readonly persistentVolumeReclaimPolicy?: string };
  readonly status?: { readonly phase?: string };
}

/** The fields of a StorageClass that matter here. */
export interface StorageClass {
  readonly metadata: Metadata;
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
}

/** The current claims and volumes. */
export interface Storage {
  readonly claims: readonly Claim[];
  readonly volumes: readonly Volume[];
  readonly classes: readonly StorageClass[];
}

/** What to do about them. */
export type StorageAction =
  | { readonly kind: "make"; readonly volume: string; readonly object: object }
  | { readonly kind: "remove"; readonly volume: string };

const SELECTED_NODE = "volume.kubernetes.io/selected-node";
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

/** Decides what to make and what to remove. */
export function planStorage(storage: Storage, folder: string): StorageAction[] {
  const present = new Set(storage.volumes.map((volume) => volume.metadata.name));
  const made = storage.claims.flatMap((claim): StorageAction[] => {
    const volume = `pvc-${claim.metadata.uid}`;
    const storageClass = storage.classes.find(({ metadata }) => metadata.name === claim.spec.storageClassName);
    if (present.has(volume) || !storageClass || !isWaiting(claim, storageClass)) return [];
    return [{ kind: "make", volume, object: volumeFor(claim, storageClass, join(folder, volume)) }];
  });
  const removed = storage.volumes.filter(isDisused).map((volume): StorageAction => ({
    kind: "remove",
    volume: volume.metadata.name,
  }));
  return [...made, ...removed];
}

/** Serves claims until the process ends; the API server may come and go. */
export async function provision(credentials: Credentials, folder: string): Promise<never> {
  const changes = new EventTarget();
  for (const path of ["/api/v1/persistentvolumeclaims", "/api/v1/persistentvolumes"]) {
    void announceChanges(credentials, path, () => changes.dispatchEvent(new Event("change")));
  }
  for (;;) {
    const changed = new Promise((resolve) => changes.addEventListener("change", resolve, { once: true }));
    await serve(credentials, folder).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    await Promise.race([changed, delay(10_000, undefined, { ref: false })]);
  }
}

function isWaiting(claim: Claim, storageClass: StorageClass): boolean {
  const isOurs = storageClass.provisioner === PROVISIONER && claim.spec.volumeMode !== "Block";
  const isPlaced = storageClass.volumeBindingMode !== "WaitForFirstConsumer" || selectedNode(claim) !== undefined;
  return isOurs && isPlaced && !claim.spec.volumeName;
}

function isDisused({ metadata, spec, status }: Volume): boolean {
  const isOurs = metadata.annotations?.[PROVISIONED_BY] === PROVISIONER;
  return isOurs && status?.phase === "Released" && spec.persistentVolumeReclaimPolicy === "Delete";
}

function selectedNode(claim: Claim): string | undefined {
  return claim.metadata.annotations?.[SELECTED_NODE];
}

function volumeFor(claim: Claim, storageClass: StorageClass, path: string): object {
  const { name, namespace, uid } = claim.metadata;
  const node = selectedNode(claim);
  const hostname = { key: "kubernetes.io/hostname" };
  const where =
    node === undefined ? { ...hostname, operator: "Exists" } : { ...hostname, operator: "In", values: [node] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `pvc-${uid}`, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      storageClassName: storageClass.metadata.name,
      accessModes: claim.spec.accessModes ?? ["ReadWriteOnce"],
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "1Gi" },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [where] }] } },
      local: { path },
    },
  };
}

async function serve(credentials: Credentials, folder: string): Promise<void> {
  const [claims, volumes, classes] = await Promise.all([
    list<Claim>(credentials, "/api/v1/persistentvolumeclaims"),
    list<Volume>(credentials, "/api/v1/persistentvolumes"),
    list<StorageClass>(credentials, "/apis/storage.k8s.io/v1/storageclasses"),
  ]);
  for (const action of planStorage({ claims, volumes, classes }, folder)) await act(credentials, folder, action);
}

async function act(credentials: Credentials, folder: string, action: StorageAction): Promise<void> {
  const path = join(folder, action.volume);
  switch (action.kind) {
    case "make":
      await mkdir(path, { recursive: true });
      await chmod(path, 0o777);
      await callApi(credentials, { method: "POST", path: "/api/v1/persistentvolumes", body: action.object });
      return;
    case "remove":
      await rm(path, { recursive: true, force: true });
      await askApi(credentials, { method: "DELETE", path: `/api/v1/persistentvolumes/${action.volume}` });
      return;
  }
}

async function list<Item>(credentials: Credentials, path: string): Promise<readonly Item[]> {
  const answer = await callApi(credentials, { path });
  return (answer as { items: readonly Item[] }).items;
}

/** Calls `changed` on every watch event; the content is ignored because the state is listed again each time. */
async function announceChanges(credentials: Credentials, path: string, changed: () => void): Promise<never> {
  for (;;) {
    try {
      const events = await openApi(credentials, { path: `${path}?watch=true` });
      for await (const _ of events) changed();
    } catch {
      // The API server is not there, or not any more: try again below.
    }
    await delay(1000);
  }
}
