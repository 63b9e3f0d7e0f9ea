/** Managed fields of the scale subresource: its only field has another path in the scaled object. */
import type { ManagedFieldsEntry } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { differenceOf, fieldSetOf, hasPath, isEmptySet, type FieldPath } from "../fields/field-set.ts";
import { decodeOwners, encodeOwners, type Owner, type Owners } from "./owners.ts";

/** The path of the replicas in each version of the scaled kind; null where it cannot be scaled. */
export type ReplicasPaths = { readonly [apiVersion: string]: FieldPath | null };

const scaleVersion = "autoscaling/v1";
const replicasInScale: FieldPath = ["f:spec", "f:replicas"];

/** The owners of the replicas, as managed fields of a Scale. */
export function toScaleFields(parent: readonly ManagedFieldsEntry[], paths: ReplicasPaths): ManagedFieldsEntry[] {
  const owners = new Map<string, Owner>();
  for (const [id, owner] of decode(parent)) {
    const path = paths[owner.apiVersion];
    if (path === undefined || path === null || !hasPath(owner.fields, path)) continue;
    owners.set(id, { ...owner, apiVersion: scaleVersion, fields: fieldSetOf(replicasInScale) });
  }
  return encodeOwners(owners);
}

/** The inputs for the managed fields of a scaled object. */
export interface FromScaleOptions {
  readonly parent: readonly ManagedFieldsEntry[];
  readonly scale: readonly ManagedFieldsEntry[];
  /** The version of the scaled object in this request. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/** The managed fields of the scaled object after its Scale was written. */
export function fromScaleFields({ parent, scale, apiVersion, paths }: FromScaleOptions): ManagedFieldsEntry[] {
  const scaleOwners = new Map(decode(scale));
  const parentOwners = decode(parent);
  const owners = new Map<string, Owner>();
  for (const [id, owner] of parentOwners) {
    const path = paths[owner.apiVersion];
    if (path === undefined) continue;
    if (path === null || !hasPath(owner.fields, path) || scaleOwners.delete(id)) {
      owners.set(id, owner);
      continue;
    }
    const fields = differenceOf(owner.fields, fieldSetOf(path));
    if (!isEmptySet(fields)) owners.set(id, { ...owner, fields });
  }
  addNewOwners(owners, { scaleOwners, parentOwners, apiVersion, path: paths[apiVersion] ?? [] });
  return encodeOwners(owners);
}

interface NewOwners {
  readonly scaleOwners: Owners;
  readonly parentOwners: Owners;
  readonly apiVersion: string;
  readonly path: FieldPath;
}

/** The new owners of the replicas; the time is that of the owner in the object, if it is there. */
function addNewOwners(owners: Map<string, Owner>, { scaleOwners, parentOwners, apiVersion, path }: NewOwners): void {
  for (const [id, owner] of scaleOwners) {
    if (!hasPath(owner.fields, replicasInScale)) continue;
    const { time: _, ...rest } = owner;
    const time = parentOwners.get(id)?.time;
    owners.set(id, { ...rest, ...(time !== undefined && { time }), apiVersion, fields: fieldSetOf(path) });
  }
}

function decode(entries: readonly ManagedFieldsEntry[]): Owners {
  const owners = decodeOwners(entries);
  if ("error" in owners) throw new PatchError("Internal", owners.error);
  return owners;
}
