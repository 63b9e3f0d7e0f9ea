/** The default storage class: folders on this machine. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { FIELD_MANAGER } from "../controller/context.ts";
import { PROVISIONER } from "./claims.ts";

/** Creates the class if it does not exist. */
export async function provideStorageClass(client: Client): Promise<void> {
  const storageClass = {
    metadata: { name: "local", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete" as const,
    volumeBindingMode: "Immediate" as const,
    allowVolumeExpansion: true,
  };
  try {
    await client.create(StorageClass, storageClass, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isApiError(error, "AlreadyExists")) throw error;
  }
}
