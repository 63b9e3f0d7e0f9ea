/** A CustomResourceDefinition as the server holds it: defaults set, and common parts of all versions moved to the top. */
import type { Json } from "@capstan/model";
import { isDeepEqual } from "@capstan/model";

import type { PrinterColumn } from "../print/columns.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject, readSchema } from "./schema.ts";

type JsonObject = { readonly [key: string]: Json | undefined };

/** The names of a resource. */
export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly listKind: string;
  readonly categories: readonly string[];
}

/** The subresources. */
export interface CrdSubresources {
  readonly status: boolean;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

/** A validation, which may have no schema. */
export interface CrdValidation {
  readonly schema?: Schema;
  readonly json?: Json;
}

/** Fields of a version or, if equal in all, of the top level. */
interface Liftable {
  readonly validation?: CrdValidation;
  readonly subresources?: CrdSubresources;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
}

/** One version. */
export interface CrdVersion extends Liftable {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning?: string;
}

/** The conversion between versions. */
export interface CrdConversion {
  readonly strategy: string;
  readonly clientConfig?: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port: number;
    };
    readonly caBundle: string;
  };
  readonly reviewVersions?: readonly string[];
}

/** The whole definition. */
export interface Crd extends Liftable {
  readonly metadata: JsonObject;
  readonly group: string;
  readonly version: string;
  readonly names: CrdNames;
  readonly scope: string;
  /** Undefined if the definition has no list of versions at all. */
  readonly versionList: "missing" | "given";
  readonly versions: readonly CrdVersion[];
  readonly conversion: CrdConversion;
  readonly preserveUnknownFields: boolean;
  readonly acceptedNames: CrdNames;
  readonly storedVersions: readonly string[];
  readonly established: boolean;
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function texts(value: Json | undefined): readonly string[] {
  return list(value).map(text);
}

/** Decodes a v1 definition. */
export function readCrd(json: Json): Crd {
  const root = object(json);
  const spec = object(root["spec"]);
  const status = object(root["status"]);
  const versions = list(spec["versions"]).map((version) => readVersion(object(version)));
  return {
    ...lift(versions),
    versionList: Array.isArray(spec["versions"]) ? "given" : "missing",
    metadata: object(root["metadata"]),
    group: text(spec["group"]),
    version: versions[0]?.name ?? "",
    names: readNames(object(spec["names"]), true),
    scope: text(spec["scope"]),
    conversion: readConversion(spec["conversion"]),
    preserveUnknownFields: spec["preserveUnknownFields"] === true,
    acceptedNames: readNames(object(status["acceptedNames"]), false),
    storedVersions: texts(status["storedVersions"]),
    established: list(status["conditions"]).some(
      (condition) => object(condition)["type"] === "Established" && object(condition)["status"] === "True",
    ),
  };
}

function readNames(names: JsonObject, withDefaults: boolean): CrdNames {
  const kind = text(names["kind"]);
  const singular = text(names["singular"]);
  const listKind = text(names["listKind"]);
  return {
    plural: text(names["plural"]),
    singular: singular === "" && withDefaults ? kind.toLowerCase() : singular,
    shortNames: texts(names["shortNames"]),
    kind,
    listKind: listKind === "" && kind !== "" && withDefaults ? `${kind}List` : listKind,
    categories: texts(names["categories"]),
  };
}

function readVersion(version: JsonObject): CrdVersion {
  return {
    name: text(version["name"]),
    served: version["served"] === true,
    storage: version["storage"] === true,
    deprecated: version["deprecated"] === true,
    ...(typeof version["deprecationWarning"] === "string" ? { deprecationWarning: version["deprecationWarning"] } : {}),
    ...(isJsonObject(version["schema"]) ? { validation: readValidation(version["schema"]) } : {}),
    ...(isJsonObject(version["subresources"]) ? { subresources: readSubresources(version["subresources"]) } : {}),
    columns: list(version["additionalPrinterColumns"]).map((column) => readColumn(object(column))),
    selectableFields: list(version["selectableFields"]).map((field) => text(object(field)["jsonPath"])),
  };
}

function readValidation(validation: JsonObject): CrdValidation {
  const json = validation["openAPIV3Schema"];
  return isJsonObject(json) ? { schema: readSchema(json), json } : {};
}

function readSubresources(subresources: JsonObject): CrdSubresources {
  const status = isJsonObject(subresources["status"]);
  if (!isJsonObject(subresources["scale"])) return { status };
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = subresources["scale"];
  return {
    status,
    scale: {
      specReplicasPath: text(specReplicasPath),
      statusReplicasPath: text(statusReplicasPath),
      ...(typeof labelSelectorPath === "string" ? { labelSelectorPath } : {}),
    },
  };
}

function readColumn(column: JsonObject): PrinterColumn {
  return {
    name: text(column["name"]),
    type: text(column["type"]),
    format: text(column["format"]),
    description: text(column["description"]),
    priority: typeof column["priority"] === "number" ? column["priority"] : 0,
    jsonPath: text(column["jsonPath"]),
  };
}

function readConversion(json: Json | undefined): CrdConversion {
  if (!isJsonObject(json)) return { strategy: "None" };
  const webhook = json["webhook"];
  if (!isJsonObject(webhook)) return { strategy: text(json["strategy"]) };
  return {
    strategy: text(json["strategy"]),
    reviewVersions: texts(webhook["conversionReviewVersions"]),
    ...(isJsonObject(webhook["clientConfig"]) ? { clientConfig: readClientConfig(webhook["clientConfig"]) } : {}),
  };
}

function readClientConfig(config: JsonObject): NonNullable<CrdConversion["clientConfig"]> {
  const service = config["service"];
  return {
    caBundle: text(config["caBundle"]),
    ...(typeof config["url"] === "string" ? { url: config["url"] } : {}),
    ...(isJsonObject(service)
      ? {
          service: {
            namespace: text(service["namespace"]),
            name: text(service["name"]),
            port: typeof service["port"] === "number" ? service["port"] : 443,
            ...(typeof service["path"] === "string" ? { path: service["path"] } : {}),
          },
        }
      : {}),
  };
}

type Lifted = Liftable & { readonly versions: readonly CrdVersion[] };

/** Fields that are equal in every version move to the top, as the server stores them; their paths then start at `spec`. */
function lift(versions: readonly CrdVersion[]): Lifted {
  const [first] = versions;
  if (first === undefined) return { columns: [], selectableFields: [], versions };
  const same = (pick: (version: CrdVersion) => unknown): boolean =>
    versions.every((version) => isDeepEqual(pick(version), pick(first)));
  const sameSchema = same((version) => [version.validation !== undefined, version.validation?.json]);
  const sameSubresources = same((version) => version.subresources);
  const sameColumns = same((version) => version.columns);
  const sameFields = same((version) => version.selectableFields);
  const kept = versions.map(({ validation, subresources, columns, selectableFields, ...rest }) => ({
    ...rest,
    ...(!sameSchema && validation !== undefined ? { validation } : {}),
    ...(!sameSubresources && subresources !== undefined ? { subresources } : {}),
    columns: sameColumns ? [] : columns,
    selectableFields: sameFields ? [] : selectableFields,
  }));
  return {
    versions: kept,
    ...(sameSchema && first.validation !== undefined ? { validation: first.validation } : {}),
    ...(sameSubresources && first.subresources !== undefined ? { subresources: first.subresources } : {}),
    columns: sameColumns ? first.columns : [],
    selectableFields: sameFields ? first.selectableFields : [],
  };
}

/** The stored versions after a definition is written: the storage version is always among them. */
export function withStorageVersion(stored: readonly string[], versions: readonly CrdVersion[]): readonly string[] {
  const storage = versions.find((version) => version.storage)?.name;
  return storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
}
