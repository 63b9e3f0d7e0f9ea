/** `meter`: what of an operator's objects is billable, in five lines and checked by the compiler. */
import { apiVersionOf, type Kind, type ObjectOf } from "@capstan/model";
import type { MetadataPath, Path } from "@capstan/schema";
import { MeterError } from "../error.ts";
import { recordedPath } from "./recorded-path.ts";

/** What every meter has. */
interface Named {
  /** Small letters, digits, dots and dashes: `etcd.members`. */
  readonly name: string;
  /** What is counted, in the singular: `member`. Or a unit of bytes: `B`, `KiB`, `GB`. */
  readonly unit: string;
}

/**
 * The paths of a kind that dimensions may have.
 *
 * @example
 * const path: MeterPath<typeof Memcached> = "spec.size";
 */
export type MeterPath<K extends Kind> = MetadataPath | Extract<Path<ObjectOf<K>>, `${"spec" | "status"}.${string}`>;

/** The level of an object: a field, named by its path or read by a function, or an expression in CEL over `object`. */
export type MeterValue<K extends Kind> =
  | ((object: ObjectOf<K>) => number | string | null | undefined)
  | MeterPath<K>
  | { readonly expression: string };

/**
 * A meter of objects.
 *
 * @example
 * const options: MeterOptions<typeof Memcached> = { name: "memcached.servers", unit: "server", value: "spec.size" };
 */
export interface MeterOptions<K extends Kind> extends Named {
  readonly value: MeterValue<K>;
  /** In CEL over `object`: where it is false, nothing is counted. */
  readonly when?: string;
  /** Fields that usage is divided by. */
  readonly dimensions?: { readonly [name: string]: MeterPath<K> };
}

/**
 * A meter of what an operator records.
 *
 * @example
 * const options: EventMeterOptions = { name: "etcd.backups", unit: "backup", dimensions: ["cluster-name"] };
 */
export interface EventMeterOptions extends Named {
  /** Default: `sum`. */
  readonly aggregate?: "sum" | "count" | "max" | "last";
  /** The names of dimensions that records may have. */
  readonly dimensions?: readonly string[];
}

/** One entry of `meters` in a book without its name: the spec of a Meter object. */
export interface MeterSpec {
  readonly type: "level" | "event";
  readonly unit: string;
  readonly aggregate?: "sum" | "count" | "max" | "last";
  readonly dimensions?: readonly string[];
  readonly objects?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly value: string;
    readonly when?: string;
    readonly dimensions?: { readonly [name: string]: string };
  };
}

/**
 * A meter of objects as a value.
 *
 * @example
 * const servers: ObjectMeter = meter(Memcached, { name: "memcached.servers", unit: "server", value: "spec.size" });
 */
export interface ObjectMeter {
  readonly name: string;
  readonly spec: MeterSpec;
  /** The kind that is counted. */
  readonly kind: Kind;
}

/**
 * A meter of records as a value.
 *
 * @example
 * const backups: EventMeter = meter.events({ name: "etcd.backups", unit: "backup" });
 */
export interface EventMeter {
  readonly name: string;
  readonly spec: MeterSpec;
}

/** Declares meters. */
export interface DeclareMeter {
  /**
   * A meter of objects: the level of each one counts while it exists. The metering service observes them; the operator need not run.
   *
   * @example
   * export const members = meter(Memcached, { name: "memcached.servers", unit: "server", value: ({ spec }) => spec.size });
   */
  <K extends Kind>(kind: K, options: MeterOptions<K>): ObjectMeter;
  /**
   * A meter of what the operator records with `record`.
   *
   * @example
   * export const backups = meter.events({ name: "etcd.backups", unit: "backup" });
   */
  readonly events: (options: EventMeterOptions) => EventMeter;
}

/**
 * Declares a meter of objects; `meter.events` declares one of records.
 *
 * @example
 * export const servers = meter(Memcached, { name: "memcached.servers", unit: "server", value: ({ spec }) => spec.size });
 */
export const meter: DeclareMeter = Object.assign(
  <K extends Kind>(kind: K, { name, unit, value, when, dimensions = {} }: MeterOptions<K>): ObjectMeter => ({
    name: checkedName(name),
    kind,
    spec: {
      type: "level",
      unit,
      objects: {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        value: expressionOf<K>(name, value),
        ...(when !== undefined && { when }),
        ...(Object.keys(dimensions).length > 0 && {
          dimensions: Object.fromEntries(Object.entries(dimensions).map(([title, path]) => [title, `object.${path}`])),
        }),
      },
    },
  }),
  {
    events: ({ name, unit, aggregate, dimensions }: EventMeterOptions): EventMeter => ({
      name: checkedName(name),
      spec: {
        type: "event",
        unit,
        ...(aggregate !== undefined && { aggregate }),
        ...(dimensions !== undefined && { dimensions }),
      },
    }),
  },
);

function checkedName(name: string): string {
  if (/^[a-z][a-z0-9.-]*$/.test(name)) return name;
  throw new MeterError(
    "BadInput",
    `${JSON.stringify(name)} is not a name of a meter; use small letters, digits, dots and dashes`,
  );
}

function expressionOf<K extends Kind>(name: string, value: MeterValue<K>): string {
  if (typeof value === "string") return `object.${value}`;
  if (typeof value === "object") return value.expression;
  return `object.${recordedPath(name, (object) => value(object as ObjectOf<K>))}`;
}
