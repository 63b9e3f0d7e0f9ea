/** What kube-apiserver serves: groups, versions, resources, subresources, and the columns of their tables. */
import type { Scope } from "@capstan/model";
import facts from "./generated/facts/discovery.json" with { type: "json" };

/** A column of a server-side table, as it appears on the wire. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** A subresource; group and version are set when its kind is of another group than its resource. */
export interface BuiltInSubresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** A resource as discovery lists it. */
export interface BuiltInResource {
  readonly name: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources?: readonly BuiltInSubresource[];
  /** Absent for resources that cannot be listed. */
  readonly columns?: readonly TableColumn[];
}

/** A version of a group with everything it serves. */
export interface BuiltInGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly BuiltInResource[];
}

/** All groups and versions in the server's order: the core group first, of each group the preferred version first. */
export function builtInGroupVersions(): readonly BuiltInGroupVersion[] {
  return facts as readonly BuiltInGroupVersion[];
}
