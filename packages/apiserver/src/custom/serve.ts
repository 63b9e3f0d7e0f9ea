/** Serves the versions of a custom kind: structure, rules, tables and subresources from its definition. */
import { builtInDefinitions } from "@capstan/kinds";
import { apiErrors, formatApiVersion, isDeepEqual, type FieldError, type Json, type KubeObject } from "@capstan/model";
import { fromCrd } from "@capstan/patch";
import {
  compileColumns,
  compileResource,
  readSchema,
  selectableFieldValue,
  type CompiledResource,
} from "@capstan/schema";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import type { KindRules, SubresourceRules } from "../builtin/rules.ts";
import { TypeMismatch } from "../decode/strict.ts";
import { createFieldManager, type FieldManager } from "../managed/field-manager.ts";
import { structureOnly } from "../resources/builtin.ts";
import type { Codec, Conversion, ServedResource, ServedSubresource } from "../resources/resource.ts";
import { hasCondition, type Definition, type DefinitionVersion, type ScalePaths } from "./definition.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { checkScaleSpec, checkScaleStatus, scaleRules } from "./scale.ts";
import { sortKeys } from "./sort-keys.ts";
import { storageVersionHash } from "./storage-version-hash.ts";

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** Every served version of a definition as a resource. */
export function serveDefinition(definition: Definition): readonly ServedResource[] {
  return definition.spec.versions.filter(({ served }) => served).map((version) => serveVersion(definition, version));
}

function serveVersion(definition: Definition, version: DefinitionVersion): ServedResource {
  const { group, names, scope, versions } = definition.spec;
  const accepted = definition.status?.acceptedNames ?? names;
  const apiVersion = formatApiVersion({ group, version: version.name });
  const compiled = compile(definition, version);
  const codec = customCodec(compiled, apiVersion);
  const storage = versions.find((one) => one.storage) ?? version;
  const managers = fieldManagers(definition, version);
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
    stored:
      storage === version
        ? codec
        : customCodec(compile(definition, storage), formatApiVersion({ group, version: storage.name })),
    conversion: conversionOf(definition, { compiled, apiVersion, storage: storage.name }),
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

function compile({ spec }: Definition, version: DefinitionVersion): CompiledResource {
  return compileResource(readSchema(version.schema?.openAPIV3Schema), {
    group: spec.group,
    version: version.name,
    kind: spec.names.kind,
    namespaced: spec.scope === "Namespaced",
  });
}

function deprecationOf({ spec }: Definition, version: DefinitionVersion): string {
  return version.deprecationWarning ?? `${spec.group}/${version.name} ${spec.names.kind} is deprecated`;
}

/** Objects are maps: what is known stays, sorted by name. */
function customCodec(compiled: CompiledResource, apiVersion: string): Codec {
  return {
    decode(value, problems) {
      const decoded = compiled.decode(value as Json);
      if ("problem" in decoded) throw new TypeMismatch(decoded.problem);
      for (const path of [...decoded.unknown].sort()) problems?.unknownField(path);
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

interface ConversionFacts {
  readonly compiled: CompiledResource;
  readonly apiVersion: string;
  readonly storage: string;
}

/** A kind with one version whose definition never changed is stored as it is served. */
function conversionOf(
  { spec, metadata }: Definition,
  { compiled, apiVersion, storage }: ConversionFacts,
): Conversion | undefined {
  if (spec.versions.length === 1 && metadata.generation === 1) return undefined;
  const storedVersion = formatApiVersion({ group: spec.group, version: storage });
  const shown = new WeakMap<KubeObject, KubeObject>();
  const show = (object: KubeObject): KubeObject => {
    let known = shown.get(object);
    if (known === undefined) {
      const relabelled = { ...object, apiVersion } as unknown as Json;
      const decoded = compiled.decode(relabelled);
      const kept = "problem" in decoded ? relabelled : decoded.object;
      known = sortKeys(compiled.applyDefaults(kept) as unknown as JsonValue) as unknown as KubeObject;
      shown.set(object, known);
    }
    return known;
  };
  return {
    toStored: (draft) => {
      refuseWebhook(spec, draft.apiVersion, storedVersion);
      return { ...draft, apiVersion: storedVersion };
    },
    fromStored: (objects) => {
      for (const object of objects) refuseWebhook(spec, object.apiVersion, apiVersion);
      return objects.map(show);
    },
  };
}

function refuseWebhook({ conversion, names }: Definition["spec"], from: string, to: string): void {
  if (conversion?.strategy !== "Webhook" || from === to) return;
  throw apiErrors.internalError(`conversion webhooks are not called yet: ${names.kind} from ${from} to ${to}`);
}

interface FieldManagers {
  readonly main: FieldManager;
  readonly status: FieldManager;
  readonly scale: FieldManager;
}

function fieldManagers({ spec }: Definition, version: DefinitionVersion): FieldManagers {
  const hasStatus = version.subresources?.status !== undefined;
  const base = {
    apiVersion: formatApiVersion({ group: spec.group, version: version.name }),
    kind: spec.names.kind,
    schema: fromCrd(version.schema?.openAPIV3Schema, {
      definitions: builtInDefinitions(),
      preserveUnknownFields: spec.preserveUnknownFields ?? false,
    }),
  };
  return {
    main: createFieldManager({ ...base, subresource: "", resetFields: hasStatus ? ["status"] : [] }),
    status: createFieldManager({ ...base, subresource: "status", resetFields: ["spec"] }),
    scale: createFieldManager({ ...base, subresource: "scale", resetFields: [] }),
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
    validateCreate: (object) => [...compiled.validate(object as unknown as Json), ...checkScale(object)],
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
    const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
    const scaleCodec = structureOnly("autoscaling/v1", "Scale");
    const rules = scaleRules(scale);
    served.set("scale", {
      name: "scale",
      verbs: subresourceVerbs,
      kind,
      codec: scaleCodec,
      rules,
      fieldManager: managers.scale,
    });
  }
  return served;
}

/** Only the status comes through, and who wrote it. */
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
