/** What Kubernetes objects are: kinds, keys, metadata, selectors, Status, conditions, quantities. */
export type {
  Json,
  KubeList,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  StoredMeta,
  StoredObject,
} from "./object.ts";
export { apiVersionOf } from "./kind.ts";
export type { ApplyOf, Kind, ObjectOf, Scope } from "./kind.ts";
