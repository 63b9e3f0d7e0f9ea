/** The custom resource of a restore in place. */
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Condition, Resource } from "@capstan/schema";
import { backupChoice } from "./resource.ts";
import type { BackupChoice } from "./resource.ts";

/** The spec of a restore. */
export interface RestoreSpec extends BackupChoice {
  readonly cluster: string;
}

/** The status of a restore. The cluster acts on `Verified` and `Restoring`. */
export interface RestoreStatus {
  readonly phase?: "Pending" | "Verified" | "Restoring" | "Succeeded" | "Failed";
  readonly message?: string;
  readonly backup?: string;
  readonly digest?: string;
  readonly position?: string;
}

/** A restore object. */
export interface RestoreObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: RestoreSpec;
  readonly status?: RestoreStatus & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<"Complete">[];
  };
}

/**
 * The kind of restores in place.
 *
 * @example
 * const crdOf = (kind: RestoreKind) => kind.toCrd();
 */
export type RestoreKind = Omit<Resource<unknown, unknown, "Complete">, "~types"> & Kind<RestoreObject>;

/** The kind for restores of a kind of cluster. */
export function defineRestore({ group, kind }: { readonly group: string; readonly kind: string }): RestoreKind {
  const defined = defineResource({
    group,
    version: "v1",
    kind: `${kind}Restore`,
    categories: ["all"],
    describe: `Replaces all data of a ${kind} by that of a backup. Deleted before it succeeded: the former data comes back.`,
    spec: s.object({
      cluster: s.string().min(1).max(56).describe(`Name of the ${kind} in this namespace`),
      ...backupChoice,
    }),
    status: s.object({
      phase: s.enum("Pending", "Verified", "Restoring", "Succeeded", "Failed").describe("Phase"),
      message: s.string().describe("Human-readable message"),
      backup: s.string().optional().describe("The backup that was verified"),
      digest: s.string().optional().describe("sha256 of its manifest: no other backup is restored"),
      position: s.string().optional().describe("Its position"),
    }),
    conditions: { Complete: "The cluster serves the data of the backup" },
    columns: {
      Cluster: "spec.cluster",
      Phase: "status.phase",
      Backup: "status.backup",
      Message: { path: "status.message", wide: true },
    },
  });
  // The interfaces above repeat the types of the schema, which cannot be inferred across packages.
  return defined as unknown as RestoreKind;
}

/** The verified backup and no other. */
export function pinnedSource({ spec, status }: RestoreObject): BackupChoice {
  const { cluster: _cluster, ...choice } = spec;
  const { backup, digest } = status ?? {};
  return { ...choice, ...(backup === undefined ? {} : { backup }), ...(digest === undefined ? {} : { digest }) };
}
