/** What the agent in a pod is told to do, and where it finds what it needs. It travels as JSON in an environment variable. */
import type { Compression } from "../compression.ts";
import type { Manifest } from "../manifest.ts";
import type { Retention, Wanted } from "../retention.ts";

/** A store without its secrets: those are mounted. */
export type StoreJob =
  | {
      readonly kind: "s3";
      readonly bucket: string;
      readonly prefix: string;
      readonly endpoint?: string;
      readonly region: string;
      readonly pathStyle: boolean;
    }
  | { readonly kind: "volume"; readonly path: string };

/** What all jobs that use a store have in common. */
export interface StoreWork {
  readonly store: StoreJob;
  /** A key is mounted: what is not encrypted with it is refused. */
  readonly isEncrypted: boolean;
  /** Unless this says that what is not encrypted at all is taken, too. */
  readonly allowUnencrypted?: boolean;
}

/** One job. */
export type Job =
  /** Takes a snapshot, stores it, and removes what is not kept, unless the snapshot is to be tried before. */
  | (StoreWork & {
      readonly do: "backup";
      readonly cluster: { readonly namespace: string; readonly name: string; readonly uid?: string };
      /** etcd's id of it: members of another cluster are not asked. */
      readonly clusterId?: string | undefined;
      /** How often a member had gone on alone when the job was given. */
      readonly forks?: number | undefined;
      /** Whether a learner may give it where nobody else answers; never, if an older operator asks. */
      readonly learners?: "never" | "at last";
      readonly spec: unknown;
      /** The policy by which it is made, if it belongs to one. */
      readonly policy?: string | undefined;
      /** Client addresses of the members. */
      readonly endpoints: readonly string[];
      readonly compression: Compression;
      readonly retention?: Retention;
    })
  /** Tells what is known of a backup, once all of it could be read. */
  | (StoreWork & Wanted & { readonly do: "describe" })
  /** Puts the snapshot of a backup into a file, for an etcd of that version; what `clear` names is removed before. */
  | (StoreWork &
      Wanted & {
        readonly do: "fetch";
        readonly version: string;
        readonly path: string;
        readonly clear: string;
      })
  /** Makes a restored folder the data of a member, unless that has data already; removes what is left of the restore. */
  | { readonly do: "adopt"; readonly from: string; readonly to: string; readonly clear: string }
  /** Compares a member that was restored from a backup with what is known of the backup; then removes what is not kept. */
  | {
      readonly do: "check";
      readonly endpoint: string;
      readonly revision: number;
      readonly kvHash?: Manifest["kvHash"];
      readonly prune?: Prune;
    };

/** What happens in the store once a backup was tried. */
export interface Prune extends StoreWork {
  /** The backup that was tried, and sha256 of its manifest. */
  readonly backup: string;
  readonly digest?: string | undefined;
  readonly retention: Retention;
}

/** How a job ended; it travels back as the termination message of the container. */
export type JobResult =
  | {
      readonly ok: true;
      readonly manifest?: Manifest;
      /** sha256 of the manifest as it is in the store; here its spec may be left out. */
      readonly digest?: string;
      readonly kept?: number;
      readonly removed?: number;
      /** The first of those in the store that have the name of a backup and are refused, and why. */
      readonly refused?: readonly string[];
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** The environment variable that holds the job. */
export const JOB_VARIABLE = "ETCD_BACKUP_JOB";

/** Where the agent finds things in its pod. */
export const PATHS = {
  credentials: "/etc/capstan/store",
  storeCa: "/etc/capstan/store-ca",
  encryption: "/etc/capstan/encryption",
  tls: "/etc/capstan/tls",
  volume: "/var/lib/capstan/volume",
  scratch: "/var/lib/capstan/scratch",
  result: "/dev/termination-log",
} as const;

/** The name under which keys of Secrets are mounted, whatever they are called there. */
export const FILES = { storeCa: "ca.crt", key: "key" } as const;
