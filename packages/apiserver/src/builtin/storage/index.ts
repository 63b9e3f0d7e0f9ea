/** The rules of the group storage.k8s.io. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { storageClass, volumeAttributesClass } from "./classes.ts";
import { csiDriver, csiNode, csiStorageCapacity } from "./drivers.ts";
import { volumeAttachment } from "./volume-attachment.ts";

export const storageRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["csidrivers.storage.k8s.io", csiDriver],
  ["csinodes.storage.k8s.io", csiNode],
  ["csistoragecapacities.storage.k8s.io", csiStorageCapacity],
  ["storageclasses.storage.k8s.io", storageClass],
  ["volumeattachments.storage.k8s.io", volumeAttachment],
  ["volumeattributesclasses.storage.k8s.io", volumeAttributesClass],
]);
