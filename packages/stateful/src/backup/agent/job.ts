/** The job of an agent pod, and the paths in it. The job is passed as JSON in an environment variable. */
import type { Compression } from "../compression.ts";
import type { Wanted } from "../log.ts";
import type { Manifest } from "../manifest.ts";
import type { Retention } from "../retention.ts";

/**
 * A store without its secrets, which are mounted.
 *
 * @example
 * const folder: StoreJob = { kind: "volume", path: "backups" };
 */
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

/**
 * What all jobs that use a store have in common.
 *
 * @example
 * const work: StoreWork = { store: { kind: "volume", path: "backups" }, isEncrypted: true };
 */
export interface StoreWork {
  readonly store: StoreJob;
  /** A key is mounted. Content that is not encrypted with it is rejected. */
  readonly isEncrypted: boolean;
  /** Accept content without encryption although a key is mounted. */
  readonly allowUnencrypted?: boolean;
}

/** What the operator knows of a backup before it is made. A full backup has its position from the copy. */
export type Draft = Pick<Manifest, "application" | "type" | "cluster" | "member" | "version"> &
  Partial<Pick<Manifest, "spec" | "schedule" | "position" | "from" | "until">>;

/** All jobs. */
export type Job =
  /** Stores what the server's container writes, and prunes old backups, unless the backup needs a trial restore first. */
  | (StoreWork & {
      readonly do: "store";
      readonly draft: Draft;
      readonly compression: Compression;
      readonly retention?: Retention;
    })
  /** Returns the manifest of a backup after all of its content was read, and that of the log up to the wanted point. */
  | (StoreWork & { readonly do: "describe"; readonly wanted: Wanted; readonly version: string })
  /** Downloads a backup and its log into a folder. Does nothing if the file `unless` exists. */
  | (StoreWork & {
      readonly do: "fetch";
      readonly wanted: Wanted;
      readonly version: string;
      readonly to: string;
      readonly unless: string;
    })
  /** Downloads an object that the user gives into the folder. */
  | (StoreWork & { readonly do: "download"; readonly object: string; readonly to: string; readonly unless: string })
  /** Compares the copy of a trial restore with the manifest, then prunes old backups. */
  | (StoreWork & {
      readonly do: "compare";
      readonly backup: string;
      readonly digest?: string;
      readonly wanted: Wanted;
      readonly retention?: Retention;
    });

/**
 * The result of a job. It is returned as the termination message of the container.
 *
 * @example
 * const nameOf = (result: AgentResult<{ readonly name: string }>) => (result.ok ? result.manifest?.name : undefined);
 */
export type AgentResult<M> =
  | {
      readonly ok: true;
      readonly manifest?: M;
      /** sha256 of the manifest as stored. The spec may be missing here. */
      readonly digest?: string;
      /** Another cluster makes backups under the same name, as a sentence. */
      readonly shared?: string;
      readonly kept?: number;
      readonly removed?: number;
      /** The first objects that have the name of a backup but are rejected, with the reason. */
      readonly refused?: readonly string[];
    }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type JobResult = AgentResult<Manifest>;

export const JOB_VARIABLE = "CAPSTAN_BACKUP_JOB";

/**
 * Where Secrets and volumes of a store are mounted in the agent's pod.
 *
 * @example
 * const keyFile = `${STORE_PATHS.encryption}/key`;
 */
export const STORE_PATHS = {
  credentials: "/etc/capstan/store",
  storeCa: "/etc/capstan/store-ca",
  encryption: "/etc/capstan/encryption",
  volume: "/var/lib/capstan/volume",
  result: "/dev/termination-log",
} as const;

/** Paths in the agent's pod. */
export const PATHS: { readonly [Place in keyof typeof STORE_PATHS | "scratch" | "exchange"]: string } = {
  ...STORE_PATHS,
  scratch: "/scratch",
  /** The folder in which the server's container hands over its output. */
  exchange: "/exchange",
};

/** File names under which Secret keys are mounted, whatever the keys are called. */
export const FILES = { storeCa: "ca.crt", key: "key" } as const;
