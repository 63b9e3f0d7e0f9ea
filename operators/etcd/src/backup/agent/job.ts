/** The job of an agent pod, and the paths in it. The job is passed as JSON in an environment variable. */
import type { Compression } from "capstan/stateful";
import { STORE_PATHS } from "capstan/stateful/parts";
import type { AgentResult, Retention, StoreWork, WantedBackup } from "capstan/stateful/parts";
import type { Manifest } from "../manifest.ts";

export type Job =
  /** Takes a snapshot, stores it, and prunes old backups, unless the snapshot needs a trial restore first. */
  | (StoreWork & {
      readonly do: "backup";
      readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
      /** The cluster id of etcd. Members of another cluster are not asked. */
      readonly clusterId?: string | undefined;
      /** How many times the cluster continued from a single member when the job was created. */
      readonly forks?: number | undefined;
      /** Whether a learner may provide the snapshot if no voter responds. Default: never (an older operator). */
      readonly learners?: "never" | "at last";
      readonly spec: unknown;
      /** The backup policy, if the backup belongs to one. */
      readonly policy?: string | undefined;
      /** Client addresses of the members. */
      readonly endpoints: readonly string[];
      readonly compression: Compression;
      readonly retention?: Retention;
    })
  /** Returns the manifest of a backup after all of its content was read. */
  | (StoreWork & WantedBackup & { readonly do: "describe" })
  /** Downloads the snapshot of a backup into a file, for etcd of this version. Removes the folder `clear` first. */
  | (StoreWork &
      WantedBackup & {
        readonly do: "fetch";
        readonly version: string;
        readonly path: string;
        readonly clear: string;
      })
  /** Moves a restored folder to the data folder of a member, unless that has data already, and removes what the restore left. */
  | { readonly do: "adopt"; readonly from: string; readonly to: string; readonly clear: string }
  /** Compares a member restored from a backup with the manifest, then prunes old backups. */
  | {
      readonly do: "check";
      readonly endpoint: string;
      readonly revision: number;
      readonly kvHash?: Manifest["kvHash"];
      readonly prune?: Prune;
    };

/** Prunes the store after a trial restore. */
export interface Prune extends StoreWork {
  /** The backup of the trial restore, and sha256 of its manifest. */
  readonly backup: string;
  readonly digest?: string | undefined;
  readonly retention: Retention;
}

export type JobResult = AgentResult<Manifest>;

export const JOB_VARIABLE = "ETCD_BACKUP_JOB";

/** Paths in the agent's pod. */
export const PATHS = { ...STORE_PATHS, tls: "/etc/capstan/tls", scratch: "/var/lib/capstan/scratch" } as const;
