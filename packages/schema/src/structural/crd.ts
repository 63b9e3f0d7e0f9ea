/** Whether a CustomResourceDefinition may be created, or replace another, with the server's errors in the server's order. */
import { withinWork, WORK_LIMIT, WorkExceededError } from "@capstan/cel";
import type { FieldError, Json } from "@capstan/model";
import { checkDns1035Label, checkDns1123Subdomain, fieldErrors } from "@capstan/model";

import { approvalErrors } from "./crd-approval.ts";
import type { Crd, CrdValidation, CrdVersion } from "./crd-model.ts";
import { readCrd, withStorageVersion } from "./crd-model.ts";
import type { CrdDemands } from "./crd-demands.ts";
import { demandsOnCreate, demandsOnUpdate, schemaHas } from "./crd-demands.ts";
import {
  columnErrors,
  conversionErrors,
  deprecationProblems,
  nameErrors,
  selectableFieldErrors,
  subresourceErrors,
} from "./crd-parts.ts";
import { validateCrdSchema } from "./crd-schema.ts";
import { validateDefaults } from "./default-validation.ts";
import { child, entry, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { isRecognizedFormat } from "./formats.ts";
import { schemaStruct, versionStruct } from "./go-structs.ts";
import { immutableErrors, maskTrailingDash, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { overBudget, rootContext, schemaLimit } from "./rule-cost.ts";
import type { Schema } from "./schema.ts";
import { unsupportedConstruct, validateStructural } from "./structural.ts";

/** The inputs of a validation. */
export interface CrdOptions {
  /** Returns the error of a CA bundle (base64 of PEM), or undefined; without it bundles are not checked. */
  readonly checkCaBundle?: (bundle: string) => string | undefined;
}

/** The errors of a definition (v1 JSON), new or as a replacement of an old one. */
export function validateCustomResourceDefinition(definition: Json, old?: Json, options: CrdOptions = {}): FieldError[] {
  try {
    return withinWork(DEFINITION_WORK, () => validate(definition, old, options));
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error;
    return [forbidden("spec.versions", "the patterns together take more work to compile than one definition may")];
  }
}

/** A definition with many patterns compiles them once; this much work takes about a second. */
const DEFINITION_WORK = 10 * WORK_LIMIT;

function validate(definition: Json, old: Json | undefined, options: CrdOptions): FieldError[] {
  const crd = readCrd(definition);
  if (old === undefined) {
    const stored = withStorageVersion([], crd.versions);
    return validateNew({ ...crd, storedVersions: stored, acceptedNames: emptyNames });
  }
  const before = readCrd(old);
  const storedVersions = withStorageVersion(before.storedVersions, crd.versions);
  return validateReplacement({ ...crd, storedVersions, acceptedNames: before.acceptedNames }, before, options);
}

const emptyNames = { plural: "", singular: "", shortNames: [], kind: "", listKind: "", categories: [] };

function validateNew(crd: Crd): FieldError[] {
  const checkName = (name: string, prefix: boolean): string[] => {
    const problems = checkDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
    return name === `${crd.names.plural}.${crd.group}`
      ? problems
      : [...problems, 'must be spec.names.plural+"."+spec.group'];
  };
  return [
    ...validateObjectMeta(crd.metadata, { namespaced: false, checkName }, "metadata"),
    ...specErrors(crd, demandsOnCreate),
    ...closingErrors(crd, undefined),
  ];
}

function validateReplacement(crd: Crd, old: Crd, options: CrdOptions): FieldError[] {
  const fixed: readonly (readonly [Json, Json, string])[] = [
    ...(old.established
      ? ([
          [crd.scope, old.scope, "spec.scope"],
          [crd.names.kind, old.names.kind, "spec.names.kind"],
        ] as const)
      : []),
    [crd.group, old.group, "spec.group"],
    [crd.names.plural, old.names.plural, "spec.names.plural"],
  ];
  return [
    ...validateObjectMetaUpdate(crd.metadata, old.metadata, "metadata"),
    ...specErrors(crd, demandsOnUpdate(crd, old, options.checkCaBundle)),
    ...fixed.flatMap(([value, before, path]) => immutableErrors(value, before, path)),
    ...closingErrors(crd, old),
  ];
}

function closingErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  const preserve =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [
    ...nameErrors(crd.acceptedNames, "status.acceptedNames"),
    ...storedVersionErrors(crd, "status.storedVersions"),
    ...approvalErrors(crd, old),
    ...(crd.preserveUnknownFields && old?.preserveUnknownFields !== true
      ? [invalid("spec.preserveUnknownFields", true, preserve)]
      : []),
  ];
}

function storedVersionErrors({ storedVersions, versions }: Crd, path: string): FieldError[] {
  if (storedVersions.length === 0) return [invalid(path, null, "must have at least one stored version")];
  const errors: FieldError[] = [];
  // A duplicate version is reported once.
  const found = new Set(storedVersions);
  for (const { name, storage } of versions) {
    if (!found.delete(name) && storage)
      errors.push(invalid(path, storedVersions, `must have the storage version ${name}`));
  }
  const known = new Set(versions.map(({ name }) => name));
  storedVersions.forEach((name, i) => {
    if (known.has(name) || storedVersions.lastIndexOf(name) !== i) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(entry(path, i), name, detail));
  });
  return errors;
}

function specErrors(crd: Crd, given: CrdDemands): FieldError[] {
  const demands = strictest(crd, given);
  return [
    ...groupErrors(crd.group),
    ...scopeErrors(crd.scope),
    ...missingSchemaErrors(crd, demands),
    ...(crd.preserveUnknownFields && anySchema(crd, (schema) => schema.default !== undefined)
      ? [invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")]
      : []),
    ...crd.versions.flatMap((version, i) => versionErrors(crd, version, { path: entry("spec.versions", i), demands })),
    ...versionListErrors(crd),
    ...firstVersionErrors(crd),
    ...missingNameErrors(crd),
    ...nameErrors(crd.names, "spec.names"),
    ...validationErrors(crd.validation, {
      path: "spec.validation",
      hasStatus: hasAnyStatus(crd),
      demands,
      version: crd.version,
    }),
    ...subresourceErrors(crd.subresources, "spec.subresources"),
    ...crd.columns.flatMap((column, i) => columnErrors(column, entry("spec.additionalPrinterColumns", i))),
    ...topSelectableFieldErrors(crd, demands),
    ...(crd.preserveUnknownFields && crd.conversion.strategy !== "None"
      ? [
          fieldErrors.invalid(
            "spec.conversion.strategy",
            fieldErrors.named(crd.conversion.strategy),
            "must be None if spec.preserveUnknownFields is true",
          ),
        ]
      : []),
    ...conversionErrors(crd.conversion, "spec.conversion", demands.conversion),
  ];
}

/** Schemas must be structural if fields are pruned, defaulted or extended. */
function strictest(crd: Crd, demands: CrdDemands): CrdDemands {
  const structural =
    demands.structural ||
    !crd.preserveUnknownFields ||
    anySchema(crd, (schema) => schema.default !== undefined || hasExtensions(schema));
  return { ...demands, structural };
}

function hasExtensions(schema: Schema): boolean {
  return (
    schema.embeddedResource === true ||
    schema.preserveUnknownFields !== undefined ||
    schema.intOrString === true ||
    (schema.listMapKeys?.length ?? 0) > 0 ||
    schema.listType !== undefined ||
    schema.validations !== undefined
  );
}

function anySchema(crd: Crd, matches: (schema: Schema) => boolean): boolean {
  return [crd, ...crd.versions].some(({ validation }) => schemaHas(validation?.schema, matches));
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const problems = checkDns1123Subdomain(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === "") return [required("spec.scope")];
  return ["Cluster", "Namespaced"].includes(scope)
    ? []
    : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])];
}

function missingSchemaErrors(crd: Crd, demands: CrdDemands): FieldError[] {
  if (crd.validation?.schema !== undefined) return [];
  return crd.versions.flatMap(({ validation, served }, i) => {
    const path = child(entry("spec.versions", i), "schema.openAPIV3Schema");
    if (validation?.schema !== undefined) return [];
    if (demands.schema) return [required(path)];
    return !crd.preserveUnknownFields && served ? [required(path, "because otherwise all fields are pruned")] : [];
  });
}

interface VersionPlace {
  readonly path: string;
  readonly demands: CrdDemands;
}

function versionErrors(crd: Crd, version: CrdVersion, { path, demands }: VersionPlace): FieldError[] {
  const problems = checkDns1035Label(version.name);
  const perVersion = crd.versions.some(({ subresources }) => subresources !== undefined);
  const subresources = perVersion
    ? crd.versions.find(({ name }) => name === version.name)?.subresources
    : crd.subresources;
  return [
    ...(problems.length > 0 ? [invalid(child(path, "name"), version.name, problems.join(","))] : []),
    ...deprecationProblems(version.deprecated, version.deprecationWarning).map((problem) =>
      fieldErrors.invalid(
        child(path, "deprecationWarning"),
        fieldErrors.named(version.deprecationWarning ?? ""),
        problem,
      ),
    ),
    ...validationErrors(version.validation, {
      path: child(path, "schema"),
      hasStatus: subresources?.status === true,
      demands,
      version: version.name,
    }),
    ...subresourceErrors(version.subresources, child(path, "subresources")),
    ...version.columns.flatMap((column, i) => columnErrors(column, entry(child(path, "additionalPrinterColumns"), i))),
    ...versionSelectableFieldErrors(version, { path, demands }),
  ];
}

function versionSelectableFieldErrors(version: CrdVersion, { path, demands }: VersionPlace): FieldError[] {
  if (version.selectableFields.length === 0) return [];
  const place = child(path, "selectableFields");
  const schema = version.validation?.schema;
  if (schema === undefined)
    return [invalid(place, "", "may only be set when `version.schema.openAPIV3Schema` is not included")];
  const allowTooMany = demands.tooManySelectableFields.has(version.name);
  return selectableFieldErrors(version.selectableFields, schema, { path: place, allowTooMany });
}

function topSelectableFieldErrors(crd: Crd, demands: CrdDemands): FieldError[] {
  if (crd.selectableFields.length === 0) return [];
  const path = "spec.selectableFields";
  if (crd.validation === undefined) return [invalid(path, "", "may only be set when validations.schema is included")];
  const allowTooMany = demands.tooManySelectableFields.has("");
  return selectableFieldErrors(crd.selectableFields, crd.validation.schema ?? {}, { path, allowTooMany });
}

function versionListErrors({ versions, versionList }: Crd): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (detail: string): void => {
    errors.push(invalid("spec.versions", versionList === "missing" ? null : versions.map(versionStruct), detail));
  };
  if (new Set(versions.map(({ name }) => name)).size !== versions.length) wrong("must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1)
    wrong("must have exactly one version marked as storage version");
  return errors;
}

function firstVersionErrors({ version }: Crd): FieldError[] {
  const problems = version === "" ? [] : checkDns1035Label(version);
  return problems.length === 0 ? [] : [invalid("spec.version", version, problems.join(","))];
}

function missingNameErrors({ names }: Crd): FieldError[] {
  const required_: readonly (keyof typeof names)[] = ["plural", "singular", "kind", "listKind"];
  return required_.filter((key) => names[key] === "").map((key) => required(`spec.names.${key}`));
}

function hasAnyStatus(crd: Crd): boolean {
  return [crd, ...crd.versions].some(({ subresources }) => subresources?.status === true);
}

interface ValidationPlace {
  readonly path: string;
  readonly hasStatus: boolean;
  readonly demands: CrdDemands;
  readonly version: string;
}

function validationErrors(validation: CrdValidation | undefined, place: ValidationPlace): FieldError[] {
  const schema = validation?.schema;
  if (schema === undefined) return [];
  const { demands, version } = place;
  const path = child(place.path, "openAPIV3Schema");
  const errors = place.hasStatus ? rootErrors(schema, path) : [];
  if (schema.nullable === true) errors.push(forbidden(child(path, "nullable"), "nullable cannot be true at the root"));
  const problem = demands.structural ? unsupportedConstruct(schema) : undefined;
  const structure =
    demands.structural && problem === undefined ? structureErrors(schema, path, demands.prunedDefaults) : [];
  const usable = demands.structural && problem === undefined && structure.length === 0;
  const context = usable ? rootContext(schema) : undefined;
  const ignoreExpressionCost = demands.unchangedVersions.has(version);
  errors.push(
    ...structure,
    ...validateCrdSchema(schema, path, { demands: { ...demands, ignoreExpressionCost }, context }),
  );
  if (errors.length === 0 && problem !== undefined) errors.push(invalid(path, "", problem));
  if (context === undefined || context.costs.total <= schemaLimit) return errors;
  const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const total = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...errors,
    ...context.costs.dearest.map((rule) => forbidden(rule.path, contributed)),
    forbidden(path, overBudget(total, context.costs.total, schemaLimit)),
  ];
}

function structureErrors(schema: Schema, path: string, prunedDefaults: boolean): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length > 0 ? errors : validateDefaults(schema, path, prunedDefaults);
}

const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** With a status subresource the root of a schema may have few keywords; the first extra one is reported. */
function rootErrors(schema: Schema, path: string): FieldError[] {
  for (const [name, value] of schemaStruct(schema)) {
    if (value === "" || value === null || value === false) continue;
    if (name === "Type" && schema.type !== "object")
      return [
        invalid(
          child(path, "type"),
          schema.type ?? "",
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      ];
    if (!allowedAtRoot.includes(name))
      return [
        invalid(
          path,
          schemaStruct(schema),
          `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      ];
  }
  return [];
}

/** The warnings of a definition: formats that the server does not know and will not enforce. */
export function crdWarnings(definition: Json, old?: Json): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(readCrd(old)));
  return unknownFormats(readCrd(definition))
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(crd: Crd): string[] {
  const found: string[] = [];
  anySchema(crd, ({ format, type = "" }) => {
    if (format !== undefined && !isRecognizedFormat(format, type)) found.push(format);
    return false;
  });
  return found;
}
