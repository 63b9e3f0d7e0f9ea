/** The owners of an object's fields: the decoded form of `metadata.managedFields`. */
import { quote, toGoJson, type Json, type ManagedFieldsEntry } from "@capstan/model";
import { emptyFieldSet, type FieldSet } from "../fields/field-set.ts";
import { decodeFields, encodeFields } from "../fields/fields-v1.ts";
import { compareText } from "../fields/path-element.ts";

/** One manager, with one operation, and the fields it owns. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  readonly fields: FieldSet;
}

/** Owners by identity. */
export type Owners = ReadonlyMap<string, Owner>;

/** The identity of an owner; appliers have the same in every version. */
export type OwnerIdentity = Pick<Owner, "manager" | "operation" | "apiVersion" | "subresource">;

/** The identity of an owner as one string, which is also the sort order of owners. */
export function ownerId({ manager, operation, apiVersion, subresource }: OwnerIdentity): string {
  return toGoJson({
    ...(manager !== "" && { manager }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });
}

/** Decodes managed fields; returns the server's error when they cannot be decoded. */
export function decodeOwners(entries: readonly ManagedFieldsEntry[]): Owners | { readonly error: string } {
  const owners = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    const owner = decodeOwner(entry, index);
    if ("error" in owner) return owner;
    owners.set(ownerId(owner), owner);
  }
  return owners;
}

function decodeOwner(entry: ManagedFieldsEntry, index: number): Owner | { readonly error: string } {
  const { operation, apiVersion = "", time, manager = "", subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") return { error: "operation must be `Apply` or `Update`" };
  if (apiVersion === "") return { error: "apiVersion must not be empty" };
  const problem = fieldsTypeProblem(entry, index);
  if (problem !== undefined) return { error: problem };
  const fields = decodeFields(entry.fieldsV1);
  if ("error" in fields) return { error: `error decoding versioned set: ${fields.error}` };
  return { manager, operation, apiVersion, subresource, ...(time != null && { time }), fields };
}

function fieldsTypeProblem(entry: ManagedFieldsEntry, index: number): string | undefined {
  const type: string = entry.fieldsType ?? "";
  if (type === "") return `missing fieldsType in managed fields entry ${index}`;
  return type === "FieldsV1" ? undefined : `invalid fieldsType ${quote(type)} in managed fields entry ${index}`;
}

/** Encodes managed fields: appliers first, then by time, then by name. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()].sort(compareOwners).map(encodeOwner);
}

function encodeOwner({ manager, operation, apiVersion, subresource, time, fields }: Owner): ManagedFieldsEntry {
  return {
    ...(manager !== "" && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFields(fields) as Json,
    ...(subresource !== "" && { subresource }),
  };
}

function compareOwners(left: Owner, right: Owner): number {
  return (
    compareText(left.operation, right.operation) ||
    secondsOf(left) - secondsOf(right) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  );
}

/** The time of the owner's last operation, in whole seconds. */
export function secondsOf(owner: Owner): number {
  return owner.time === undefined ? 0 : Math.floor(Date.parse(owner.time) / 1000);
}

/** The fields of an owner; empty when the owner does not exist. */
export function fieldsOf(owner: Owner | undefined): FieldSet {
  return owner?.fields ?? emptyFieldSet;
}
