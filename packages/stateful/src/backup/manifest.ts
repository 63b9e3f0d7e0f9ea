/** The manifests of applications that the library runs, and the names of their backups. */
import { canonical } from "./canonical.ts";
import { newestByTime } from "./catalog.ts";
import type { Part } from "./content.ts";
import type { ManifestFormat, NameParts, StoredManifest } from "./manifest-format.ts";
import { manifestChecks } from "./shape.ts";

/** A copy of all data, or a piece of the log of writes. */
export type BackupType = "full" | "log";

/** What is known of a backup. Positions are texts of the application. */
export interface Manifest extends StoredManifest {
  readonly format: 1;
  /** Such as `mariadb`. */
  readonly application: string;
  readonly type: BackupType;
  readonly cluster: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly lineage: string;
  };
  /** The schedule that made it. Other schedules do not remove it. */
  readonly schedule?: string;
  /** ISO 8601. Of a full backup: its data is not newer. Of a log: every write before that time is in it, or in earlier pieces. */
  readonly until: string;
  /** The member that it was copied from. */
  readonly member: string;
  readonly version: string;
  /** The position of the data, or of the end of the log. */
  readonly position: string;
  /** Of a log: the position before its first write. */
  readonly from?: string;
  readonly content: Part;
  /** Hash of the rows, for comparison with a trial restore. */
  readonly rows?: string;
}

interface TypedName extends NameParts {
  readonly type: BackupType;
}

/** The place of a cluster's backups of a type. */
export function prefixOf({ cluster: { namespace, name }, type }: Pick<TypedName, "cluster" | "type">): string {
  return `${namespace}/${name}/${type}/`;
}

/** A name that sorts by time. The salt separates backups of the same second. */
export function backupName({ time, salt, ...parts }: TypedName & { readonly salt: string }): string {
  return `${prefixOf(parts)}${time.toISOString().replaceAll(/[-:]|\.\d{3}/gu, "")}-${salt}`;
}

const NAME: RegExp =
  /^(?<namespace>[a-z0-9][-a-z0-9]*)\/(?<cluster>[a-z0-9][-.a-z0-9]*)\/(?<type>full|log)\/(?<moment>\d{8}T\d{6}Z)-[0-9a-f]{1,64}$/u;

function parseName(name: string): TypedName | undefined {
  const { namespace, cluster, type, moment } = NAME.exec(name)?.groups ?? {};
  if (namespace === undefined || cluster === undefined || moment === undefined) return undefined;
  const time = parseMoment(moment);
  return time && { cluster: { namespace, name: cluster }, time, type: type === "log" ? "log" : "full" };
}

/**
 * Parses the time in a name.
 *
 * @example
 * const time = parseMoment("20260115T030000Z");
 */
export function parseMoment(moment: string): Date | undefined {
  const time = new Date(moment.replace(/^(....)(..)(..T..)(..)/u, "$1-$2-$3:$4:"));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** The identity of the backup as text. The content is encrypted for it. */
export function identityOf({ name, application, cluster, time }: Pick<Manifest, Identity>): string {
  return canonical({ name, application, cluster, time });
}

type Identity = "name" | "application" | "cluster" | "time";

const { shape, oneOf, optional, any, text, time, sum, part, encryption } = manifestChecks;

export const manifestFormat: ManifestFormat<Manifest> = {
  number: 1,
  isManifest: shape({
    format: oneOf(1),
    application: text,
    type: oneOf("full", "log"),
    name: text,
    cluster: shape({ namespace: text, name: text, uid: text, lineage: text }),
    spec: any,
    schedule: optional(text),
    time,
    until: time,
    member: text,
    version: text,
    position: text,
    from: optional(text),
    content: part,
    stored: part,
    compression: oneOf("none", "gzip", "zstd"),
    rows: optional(sum),
    encryption,
  }),
  contentSuffix: ".data",
  nameForm: "<namespace>/<cluster>/full/<time>-<salt>",
  parseName,
  hasName: ({ type, name }) => type === parseName(name)?.type,
  contentOf: (manifest) => ({ content: manifest.content, identity: identityOf(manifest) }),
  newestFirst: newestByTime,
  isSameSeries: ({ cluster, schedule }, proven) =>
    cluster.uid === proven.cluster.uid && (schedule === undefined || schedule === proven.schedule),
};
