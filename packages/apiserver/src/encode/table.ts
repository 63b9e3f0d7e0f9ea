/** Objects as tables: the server-side printing for `kubectl get`. */
import { apiErrors, type Json, type KubeObject } from "@capstan/model";
import type { TableRow } from "../builtin/rules.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedResource } from "../resources/resource.ts";
import { toPartialMetadata } from "./partial-metadata.ts";

/** The part of the object that each row includes. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** The metadata of a table: that of a list, or of one object. */
export interface TableMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A table of objects in the version of the request. A watch sends the columns only once. */
export function tableOf(
  exchange: ResourceExchange,
  objects: readonly KubeObject[],
  { resourceVersion, continue: next, remainingItemCount }: TableMeta,
  withColumns = true,
): Json {
  const { resource, media } = exchange;
  const version = media.transform?.version ?? "v1";
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(next === undefined || next === "" ? {} : { continue: next }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    },
    columnDefinitions: withColumns ? (columnsOf(resource) as unknown as Json) : null,
    rows: objects.map(rowMaker(exchange)),
  };
}

/** Kinds without a printer have null rows where other kinds have an empty list. */
export function hasPlainRows({ columns, isCustom }: ServedResource): boolean {
  return !isCustom && columns?.[1]?.name === "Created At";
}

/** Creates the rows of a table one by one. */
export function rowMaker({ resource, media, query, parts }: ResourceExchange): (object: KubeObject) => Json {
  const options = { now: parts.clock.wall(), include: includeOf(query), version: media.transform?.version ?? "v1" };
  return (object) => toRow(resource, object, options);
}

/** The `includeObject` parameter; throws 400 for an invalid value. */
export function includeOf(query: URLSearchParams): IncludeObject {
  const asked = query.get("includeObject") ?? "";
  if (asked === "") return "Metadata";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  throw apiErrors.badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: "${asked}": must be 'Metadata', 'Object', 'None', or empty`,
  );
}

interface RowOptions {
  readonly now: number;
  readonly include: IncludeObject;
  readonly version: "v1" | "v1beta1";
}

function toRow(resource: ServedResource, object: KubeObject, { now, include, version }: RowOptions): Json {
  const { cells, conditions } = cellsOf(resource, object, now);
  return {
    cells,
    ...(conditions === undefined ? {} : { conditions }),
    object: includedObject(resource, object, { include, version }) as unknown as Json,
  };
}

function includedObject(
  resource: ServedResource,
  object: KubeObject,
  { include, version }: Pick<RowOptions, "include" | "version">,
): KubeObject | null {
  if (include === "None") return null;
  return include === "Object" ? object : toPartialMetadata(resource, object, version);
}

function cellsOf({ rules }: ServedResource, object: KubeObject, now: number): TableRow {
  const table = rules.serves === "answers" ? undefined : rules.table;
  return table?.row(object, now) ?? { cells: [object.metadata.name ?? "", defaultAge(object, now)] };
}

/** Kinds without columns show the name and the creation time. */
function defaultAge({ metadata }: KubeObject, _now: number): string {
  return metadata.creationTimestamp ?? "<unknown>";
}

function columnsOf(resource: ServedResource): readonly object[] {
  const { rules } = resource;
  const own = rules.serves === "answers" ? undefined : rules.table?.columns;
  const columns = own ?? resource.columns ?? defaultColumns;
  return columns.map(({ name, type, format = "", description = "", priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

const defaultColumns = [
  { name: "Name", type: "string", format: "name", description: "", priority: 0 },
  { name: "Created At", type: "date", format: "", description: "", priority: 0 },
] as const;
