/** Serves the versions of a custom kind: schema, validation, tables and subresources from its definition. */
import { builtInDefinitions } from "@capstan/kinds";
import { apiErrors, formatApiVersion, isDeepEqual, type FieldError, type Json, type KubeObject } from "@capstan/model";
import {
  fromCrd,
  PatchError,
  type JsonObject,
  type ManageFieldsOptions,
  type PathElement,
  type ReplicasPaths,
  type TypeSchema,
} from "@capstan/patch";
import {
  compileColumns,
  compileResource,
  readSchema,
  selectableFieldValue,
  type CompiledResource,
} from "@capstan/schema";
import { compareVersions } from "../discovery/version-priority.ts";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { KindRules, SubresourceRules } from "../builtin/rules.ts";
import { FieldMismatch, TypeMismatchError } from "../decode/strict.ts";
import { createFieldManager, type FieldManager } from "../managed/field-manager.ts";
import { structureOnly } from "../resources/builtin.ts";
import type { Codec, ServedResource, ServedSubresource } from "../resources/resource.ts";
import { hasCondition, type Definition, type DefinitionVersion, type ScalePaths } from "./definition.ts";
import { conversionOf, versionSchemas, type VersionSchemas } from "./conversion.ts";
import { webhookConverter, type Converter, type ConversionServices } from "./conversion-webhook.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { fieldsOf } from "./nested-field.ts";
import { impatient } from "./pending-conversion.ts";
import { checkScaleSpec, checkScaleStatus, scaleKind, scaleManager, scaleRules } from "./scale.ts";
import { sortKeys } from "./sort-keys.ts";
import { storageVersionHash } from "./storage-version-hash.ts";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** All served versions of a definition as resources. */
export function serveDefinition(definition: Definition, services: ConversionServices): readonly ServedResource[] {
  const convert = converterOf(definition, services);
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => serveVersion(definition, version, convert));
}

function converterOf({ spec: { conversion } }: Definition, services: ConversionServices): Converter | undefined {
  return conversion?.strategy === "Webhook" ? webhookConverter(conversion.webhook ?? {}, services) : undefined;
}

function serveVersion(
  definition: Definition,
  version: DefinitionVersion,
  convert: Converter | undefined,
): ServedResource {
  const { group, names, scope, versions } = definition.spec;
  const accepted = definition.status?.acceptedNames ?? names;
  const apiVersion = formatApiVersion({ group, version: version.name });
  const schemas = versionSchemas(definition, (one) => (one === version ? compiled : compile(definition, one)));
  const compiled = compile(definition, version);
  const codec = customCodec(compiled, apiVersion);
  const storage = versions.find((one) => one.storage) ?? version;
  const managers = fieldManagers(definition, version, convert);
  return {
    group,
    version: version.name,
    apiVersion,
    kind: accepted.kind,
    listKind: accepted.listKind ?? `${accepted.kind}List`,
    resource: names.plural,
    singular: accepted.singular ?? "",
    namespaced: scope === "Namespaced",
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    verbs,
    storageVersionHash: storageVersionHash({ group, version: storage.name, kind: names.kind }),
    columns: undefined,
    storage: `${names.plural}.${group}`,
    qualified: { group, resource: names.plural },
    qualifiedKind: { group, kind: names.kind },
    rules: rulesOf(definition, version, compiled),
    codec,
    versions: (name) => otherCodec(definition, name, schemas),
    stored:
      storage === version
        ? codec
        : customCodec(compile(definition, storage), formatApiVersion({ group, version: storage.name })),
    conversion: conversionOf(definition, {
      served: apiVersion,
      stored: formatApiVersion({ group, version: storage.name }),
      schemas,
      convert,
    }),
    subresources: subresourcesOf(definition, version, { codec, compiled, managers }),
    fieldManager: managers.main,
    patchType: () => {
      throw apiErrors.internalError("custom kinds have no strategic merge patch");
    },
    isCustom: true,
    schema: version.schema?.openAPIV3Schema,
    ...(version.deprecated === true ? { deprecationWarning: deprecationOf(definition, version) } : {}),
  };
}

function compile(definition: Definition, version: DefinitionVersion): CompiledResource {
  const names = { ...definitionNames(definition), version: version.name };
  return compileResource(readSchema(version.schema?.openAPIV3Schema), names);
}

function definitionNames({ spec, status }: Definition): { group: string; kind: string; namespaced: boolean } {
  const kind = status?.acceptedNames?.kind ?? spec.names.kind;
  return { group: spec.group, kind, namespaced: spec.scope === "Namespaced" };
}

/**
 * The codec for a version that the definition does not have, which knows no fields, or for another kind, which keeps all fields and
 * checks only the metadata.
 */
function otherCodec(definition: Definition, name: string | undefined, schemas: VersionSchemas): Codec {
  const version = name ?? "";
  const apiVersion = formatApiVersion({ group: definition.spec.group, version });
  const unknown = { type: "object", "x-kubernetes-preserve-unknown-fields": name === undefined };
  const made = (): CompiledResource =>
    compileResource(readSchema(unknown), { ...definitionNames(definition), version });
  return customCodec((name === undefined ? undefined : schemas(apiVersion)) ?? made(), apiVersion);
}

function deprecationOf({ spec }: Definition, { name, deprecationWarning }: DefinitionVersion): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const warning = `${spec.group}/${name} ${spec.names.kind} is deprecated`;
  const [better] = spec.versions
    .filter((one) => one.served && one.deprecated !== true && compareVersions(one.name, name) < 0)
    .map((one) => one.name)
    .sort(compareVersions);
  return better === undefined ? warning : `${warning}; use ${spec.group}/${better} ${spec.names.kind}`;
}

function refusalOf(problem: string, error: FieldError | undefined): TypeMismatchError {
  return error === undefined ? new TypeMismatchError(problem) : new FieldMismatch(problem, error);
}

/** Custom objects are maps: known fields are kept, sorted by name. */
function customCodec(compiled: CompiledResource, apiVersion: string): Codec {
  return {
    decode(value, problems, source) {
      // A null in an applied configuration is intentional and kept.
      const decoded = compiled.decode(value as Json, source === "values" ? "keep" : "drop");
      if ("problem" in decoded) throw refusalOf(decoded.problem, decoded.error);
      for (const path of decoded.unknown) problems?.unknownField(path);
      const object = sortKeys(decoded.object as unknown as JsonValue) as unknown as AnyDraft;
      if ((object.apiVersion ?? "") === "") object.apiVersion = apiVersion;
      object.metadata ??= {};
      return object;
    },
    defaults(draft) {
      const defaulted = compiled.applyDefaults(draft as unknown as Json);
      Object.assign(draft, sortKeys(defaulted as unknown as JsonValue));
    },
  };
}

interface FieldManagers {
  readonly main: FieldManager;
  readonly status: FieldManager;
}

function fieldManagers(
  { spec }: Definition,
  version: DefinitionVersion,
  convert: Converter | undefined,
): FieldManagers {
  const hasStatus = version.subresources?.status !== undefined;
  const base = {
    apiVersion: formatApiVersion({ group: spec.group, version: version.name }),
    kind: spec.names.kind,
    schema: managedSchema(spec, version),
    convert: betweenVersions(spec, convert),
  };
  return {
    main: createFieldManager({ ...base, subresource: "", resetFields: hasStatus ? ["status"] : [] }),
    status: createFieldManager({ ...base, subresource: "status", resetFields: ["metadata", "spec"] }),
  };
}

function managedSchema({ preserveUnknownFields = false }: Definition["spec"], version: DefinitionVersion): TypeSchema {
  return fromCrd(version.schema?.openAPIV3Schema, { definitions: builtInDefinitions(), preserveUnknownFields });
}

/**
 * Managed fields refer to the version of their write, so the object is converted to that version. Fails if the definition does not have
 * this version any more.
 */
function betweenVersions(
  spec: Definition["spec"],
  convert: Converter | undefined,
): NonNullable<ManageFieldsOptions["convert"]> {
  const schemas = new Map<string, TypeSchema>();
  const convertNow = convert === undefined ? undefined : impatient(convert);
  return (object, apiVersion) => {
    const version = spec.versions.find(
      ({ name }) => formatApiVersion({ group: spec.group, version: name }) === apiVersion,
    );
    if (version === undefined) {
      throw new PatchError("Internal", `request to convert CR to an invalid group/version: ${apiVersion}`);
    }
    let schema = schemas.get(apiVersion);
    if (schema === undefined) schemas.set(apiVersion, (schema = managedSchema(spec, version)));
    const converted = convertNow?.(object as unknown as KubeObject, apiVersion) ?? { ...object, apiVersion };
    return { object: converted as unknown as JsonObject, schema };
  };
}

function rulesOf(definition: Definition, version: DefinitionVersion, compiled: CompiledResource): KindRules {
  const hasStatus = version.subresources?.status !== undefined;
  const printer = compileColumns(version.additionalPrinterColumns ?? []);
  const { scale } = version.subresources ?? {};
  const checkScale = (object: KubeObject): FieldError[] =>
    scale === undefined ? [] : [...checkScaleSpec(object, scale), ...checkScaleStatus(object, scale)];
  const fields = (version.selectableFields ?? []).map(({ jsonPath }) => {
    const valueOf = selectableFieldValue(jsonPath);
    return [jsonPath.replace(/^\./, ""), (object: KubeObject) => valueOf(object as unknown as Json)] as const;
  });
  return {
    validatesMetadata: true,
    unconditionalUpdate: false,
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }),
    unknownField: (field) => `field label not supported: ${field}`,
    selectsByNamespace: definition.spec.scope === "Namespaced",
    prepareForCreate(draft, { namespace }) {
      if (hasCondition(definition, "Terminating")) refuseCreate(definition, draft, namespace);
      if (hasStatus) delete (draft as { status?: unknown }).status;
      draft.metadata.generation = 1;
    },
    prepareForUpdate(draft, old) {
      if (hasStatus) keepStatus(draft, old);
      if (!isDeepEqual(withoutMeta(draft, hasStatus), withoutMeta(old, hasStatus))) {
        draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
      }
    },
    validateCreate: (object) => [...compiled.validate(withoutEmptyName(object)), ...checkScale(object)],
    validateUpdate: (object, old, context) => [
      ...compiled.validateUpdate(object as unknown as Json, old as unknown as Json, (text) => context.warn(text)),
      ...checkScale(object),
    ],
    warnings: ({ metadata }, old) => finalizerWarnings(metadata, old?.metadata),
    table: {
      columns: printer.columns as KindRules["table"] extends { columns?: infer C } | undefined ? NonNullable<C> : never,
      row: (object, now) => ({ cells: printer.cells(object as unknown as Json, now) }),
    },
  };
}

/** An empty name counts as absent: the schema's rules for names do not apply. */
function withoutEmptyName(object: KubeObject): Json {
  const { name, ...metadata } = object.metadata;
  return (name === "" ? { ...object, metadata } : object) as unknown as Json;
}

function refuseCreate({ spec }: Definition, draft: AnyDraft, _namespace: string): never {
  const why = "create not allowed while custom resource definition is terminating";
  throw apiErrors.forbidden({ group: spec.group, resource: spec.names.plural }, draft.metadata.name ?? "", why);
}

type Fields = { [field: string]: unknown };

function keepStatus(draft: AnyDraft, old: KubeObject): void {
  const { status } = old as unknown as Fields;
  if (status === undefined) delete (draft as unknown as Fields)["status"];
  else (draft as unknown as Fields)["status"] = status;
}

function withoutMeta(object: KubeObject | AnyDraft, hasStatus: boolean): Fields {
  const { metadata: _metadata, ...rest } = object as unknown as Fields;
  if (hasStatus) delete rest["status"];
  return rest;
}

interface SubresourceFacts {
  readonly codec: Codec;
  readonly compiled: CompiledResource;
  readonly managers: FieldManagers;
}

function subresourcesOf(
  { spec }: Definition,
  version: DefinitionVersion,
  { codec, compiled, managers }: SubresourceFacts,
): ReadonlyMap<string, ServedSubresource> {
  const served = new Map<string, ServedSubresource>();
  const own = { group: spec.group, version: version.name, kind: spec.names.kind };
  if (version.subresources?.status !== undefined) {
    const rules = statusRules(compiled, version.subresources.scale);
    served.set("status", {
      name: "status",
      verbs: subresourceVerbs,
      kind: own,
      codec,
      rules,
      fieldManager: managers.status,
    });
  }
  const { scale } = version.subresources ?? {};
  if (scale !== undefined) {
    const scaleCodec = structureOnly("autoscaling/v1", "Scale");
    const rules = scaleRules(scale, replicasPaths(spec));
    served.set("scale", {
      name: "scale",
      verbs: subresourceVerbs,
      kind: scaleKind,
      codec: scaleCodec,
      rules,
      fieldManager: scaleManager(),
    });
  }
  return served;
}

/** The replicas path of each version; null if it has no scale subresource. */
function replicasPaths({ group, versions }: Definition["spec"]): ReplicasPaths {
  return Object.fromEntries(
    versions.map(({ name, subresources }) => {
      const path = subresources?.scale?.specReplicasPath;
      const fields = path === undefined ? null : fieldsOf(path).map((part): PathElement => `f:${part}`);
      return [formatApiVersion({ group, version: name }), fields];
    }),
  );
}

/** Only the status and its managed fields are written. */
function statusRules(compiled: CompiledResource, scale: ScalePaths | undefined): SubresourceRules {
  return {
    type: "view",
    resetFields: ["spec"],
    prepareForUpdate(draft, old) {
      const fields = draft as unknown as Fields;
      const { status } = fields;
      const { managedFields } = draft.metadata;
      for (const field of Object.keys(fields)) delete fields[field];
      Object.assign(fields, structuredClone(old));
      if (managedFields === undefined) delete draft.metadata.managedFields;
      else draft.metadata.managedFields = managedFields;
      if (status === undefined) delete fields["status"];
      else fields["status"] = status;
    },
    validateUpdate: (object, old, context) => [
      ...compiled.validateStatusUpdate(object as unknown as Json, old as unknown as Json, (text) => context.warn(text)),
      ...(scale === undefined ? [] : checkScaleStatus(object, scale)),
    ],
  };
}
