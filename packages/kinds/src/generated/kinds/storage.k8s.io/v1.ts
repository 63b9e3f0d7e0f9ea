import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/storage.k8s.io/v1.ts";

export type * from "../../shapes/storage.k8s.io/v1.ts";

export type CSIDriver = shapes.CSIDriver;
export const CSIDriver: Kind<shapes.CSIDriver, shapes.CSIDriverApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"CSIDriver","plural":"csidrivers","scope":"Cluster"} as const);
export type CSINode = shapes.CSINode;
export const CSINode: Kind<shapes.CSINode, shapes.CSINodeApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"CSINode","plural":"csinodes","scope":"Cluster"} as const);
export type CSIStorageCapacity = shapes.CSIStorageCapacity;
export const CSIStorageCapacity: Kind<shapes.CSIStorageCapacity, shapes.CSIStorageCapacityApply, "Namespaced"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"CSIStorageCapacity","plural":"csistoragecapacities","scope":"Namespaced"} as const);
export type StorageClass = shapes.StorageClass;
export const StorageClass: Kind<shapes.StorageClass, shapes.StorageClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"StorageClass","plural":"storageclasses","scope":"Cluster"} as const);
export type VolumeAttachment = shapes.VolumeAttachment;
export const VolumeAttachment: Kind<shapes.VolumeAttachment, shapes.VolumeAttachmentApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"VolumeAttachment","plural":"volumeattachments","scope":"Cluster"} as const);
export type VolumeAttributesClass = shapes.VolumeAttributesClass;
export const VolumeAttributesClass: Kind<shapes.VolumeAttributesClass, shapes.VolumeAttributesClassApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"storage.k8s.io","version":"v1","kind":"VolumeAttributesClass","plural":"volumeattributesclasses","scope":"Cluster"} as const);
