/** Converts a CRD into a file with `defineResource`; the file's header lists what a definition cannot express. */
import type { JsonSchema } from "@capstan/schema";
import { ScaffoldError } from "../errors.ts";
import { checkGroup, checkKind, checkPlural, wordsOf } from "../project/names.ts";
import { columnsText } from "./columns.ts";
import type { CrdInput, CrdVersionInput } from "./crd-input.ts";
import { differencesOf } from "./differences.ts";
import { indent } from "./indent.ts";
import { toNumbers, withStatedNumbers } from "./numbers.ts";
import { normalizeSchema } from "./normalize.ts";
import { oldApiVersion, renewCrd } from "./old-crd.ts";
import { literal, propertyName } from "./text.ts";
import { objectText } from "./schema-builders.ts";

/** A file, and what the definition in it does not say. */
export interface Imported {
  readonly path: string;
  readonly text: string;
  readonly differences: readonly string[];
  /** The CRD as far as a source can state it: what the definition should give again. */
  readonly crd: CrdInput;
}

/** A CRD as a source file. `known` differences are listed in it too. */
export function importCrd(value: unknown, known: readonly string[] = []): Imported {
  const renewed = isOld(value) ? renewCrd(value) : { crd: value, differences: [] };
  const { crd, differences: lost } = withStatedVersions(checkCrd(renewed.crd));
  const { names, versions } = crd.spec;
  const parts = versions.map((version) => versionParts(version, versions.length > 1));
  const differences = [
    ...new Set([
      ...renewed.differences,
      ...lost,
      ...otherDescriptions(versions),
      ...parts.flatMap((part) => part.differences),
      ...known,
    ]),
  ];
  const consts = parts.map(({ consts: own }) => own).join("\n");
  const opening = `${openingText(crd, differences)}\nimport { defineResource, s } from "capstan";\n\n`;
  const definition = `export const ${names.kind} = defineResource({\n${definitionLines(crd, parts).join("\n")}\n});\n`;
  return {
    path: `${wordsOf(names.kind).file}.ts`,
    text: indent(`${opening}${consts}\n${definition}`),
    differences,
    crd,
  };
}

function openingText({ spec: { names, group } }: CrdInput, differences: readonly string[]): string {
  const opening = `/** ${names.kind}, imported from the CRD ${names.plural}.${group}.`;
  if (differences.length === 0) return `${opening} */`;
  const notes = differences.map((line) => ` * - ${line.replaceAll("*/", "* /")}\n`).join("");
  return `${opening} What a definition cannot say:\n${notes} */`;
}

function definitionLines(
  { spec: { group, scope, names, versions } }: CrdInput,
  parts: readonly VersionParts[],
): string[] {
  const description = storedDescription(versions);
  const single = parts.length === 1 ? parts[0] : undefined;
  return [
    `group: ${literal(group)},`,
    ...(single === undefined ? [] : [`version: ${literal(single.name)},`]),
    `kind: ${literal(names.kind)},`,
    `plural: ${literal(names.plural)},`,
    ...(names.singular === undefined || names.singular === "" ? [] : [`singular: ${literal(names.singular)},`]),
    ...list("shortNames", names.shortNames),
    ...list("categories", names.categories),
    ...(scope === "Cluster" ? [`scope: "Cluster",`] : []),
    ...(description === undefined ? [] : [`describe: ${literal(description)},`]),
    ...(single === undefined ? [manyText(parts)] : single.fields),
  ];
}

function storedDescription(versions: readonly CrdVersionInput[]): string | undefined {
  return versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema?.description;
}

/** A definition describes its kind once, in the words of the stored version. */
function otherDescriptions(versions: readonly CrdVersionInput[]): string[] {
  const description = storedDescription(versions);
  return versions
    .filter(({ schema }) => schema?.openAPIV3Schema?.description !== description)
    .map(({ name }) => `the description of ${name}`);
}

/** A CRD with numbers that a source can state. */
function withStatedVersions(crd: CrdInput): { readonly crd: CrdInput; readonly differences: readonly string[] } {
  const differences: string[] = [];
  const versions = crd.spec.versions.map((version) => {
    const { schema: _, ...facts } = version;
    const root = version.schema?.openAPIV3Schema;
    const plain = toNumbers(facts) as typeof facts;
    if (root === undefined || root === null) return plain;
    const stated = withStatedNumbers(root, "");
    differences.push(...stated.differences);
    return { ...plain, schema: { openAPIV3Schema: stated.schema } };
  });
  const { versions: _, ...head } = crd.spec;
  return { crd: { ...crd, spec: { ...(toNumbers(head) as typeof head), versions } }, differences };
}

interface VersionParts {
  readonly name: string;
  readonly consts: string;
  readonly fields: readonly string[];
  readonly storage: boolean;
  readonly differences: readonly string[];
}

/** A writable status without named fields is one without fields. */
function statusOf({ subresources }: CrdVersionInput, { properties = {} }: JsonSchema): JsonSchema | undefined {
  return properties["status"] ?? (subresources?.status === undefined ? undefined : { type: "object" });
}

/** The name of a version, which may hold dashes, at the beginning of a name in TypeScript. No version holds an underscore. */
function identifier(version: string): string {
  return version.replaceAll("-", "_");
}

function versionParts(version: CrdVersionInput, isOneOfMany: boolean): VersionParts {
  const root = normalizeSchema(version.schema?.openAPIV3Schema ?? {});
  const names = isOneOfMany
    ? { spec: `${identifier(version.name)}Spec`, status: `${identifier(version.name)}Status` }
    : { spec: "spec", status: "status" };
  const { spec = {} } = root.properties ?? {};
  const status = statusOf(version, root);
  const columns = columnsText(version.additionalPrinterColumns ?? [], root);
  const presence = specPresence(root);
  const consts = [`const ${names.spec} = ${objectText(spec)}${presence === "optional" ? ".optional()" : ""};\n`];
  const fields = [assigned("spec", names.spec), ...(presence === "required" ? ["specRequired: true,"] : [])];
  if (status !== undefined) {
    consts.push(`const ${names.status} = ${objectText(status)};\n`);
    fields.push(assigned("status", names.status), ...list("statusRequired", status.required));
  }
  if (columns.entries.length > 0) fields.push(`columns: { ${columns.entries.join(", ")} },`);
  fields.push(...scaleText(version));
  if (version.deprecated === true) {
    fields.push(`deprecated: ${literal(version.deprecationWarning ?? `${version.name} is deprecated`)},`);
  }
  if (!version.served) fields.push("served: false,");
  const differences = [...columns.differences, ...differencesOf(version, root)];
  return {
    name: version.name,
    storage: version.storage,
    consts: consts.join("\n"),
    fields,
    differences: [...new Set(differences)],
  };
}

/** What a definition must say about whether a spec is written: in most, that follows from its fields. */
function specPresence({ required = [], properties }: JsonSchema): "required" | "optional" | undefined {
  const { spec = {} } = properties ?? {};
  const isDemanded = required.includes("spec") && spec.default === undefined;
  const hasDemands = (spec.required ?? []).some((field) => spec.properties?.[field]?.default === undefined);
  // Where a spec may be left out, a definition fills in an empty one: not every rule takes that.
  const hasRules = (spec["x-kubernetes-validations"] ?? []).length > 0;
  if (!isDemanded && (hasDemands || (hasRules && spec.default === undefined))) return "optional";
  return isDemanded && !hasDemands ? "required" : undefined;
}

function assigned(field: string, name: string): string {
  return field === name ? `${field},` : `${field}: ${name},`;
}

function scaleText({ subresources, selectableFields = [] }: CrdVersionInput): string[] {
  const scale = subresources?.scale;
  const path = (text: string): string => literal(text.replace(/^\./, ""));
  return [
    ...(scale === undefined
      ? []
      : [
          `scale: { spec: ${path(scale.specReplicasPath)}, status: ${path(scale.statusReplicasPath)}${
            scale.labelSelectorPath === undefined ? "" : `, selector: ${path(scale.labelSelectorPath)}`
          } },`,
        ]),
    ...(selectableFields.length === 0
      ? []
      : [`selectable: [${selectableFields.map(({ jsonPath }) => path(jsonPath)).join(", ")}],`]),
  ];
}

/** Several versions, converted field by field into each other as a CRD without a webhook does. */
function manyText(parts: readonly VersionParts[]): string {
  const stored = parts.find(({ storage }) => storage)?.name ?? "";
  const versions = parts.map(
    ({ name, fields, storage }) => `${propertyName(name)}: { ${fields.join(" ")}${storage ? " storage: true," : ""} },`,
  );
  const converts = parts
    .filter(({ storage }) => !storage)
    .flatMap(({ name }) => [
      `"${name}->${stored}": (from) => from as never,`,
      `"${stored}->${name}": (from) => from as never,`,
    ]);
  return `versions: {\n${versions.join("\n")}\n},\nconvert: {\n${converts.join("\n")}\n},`;
}

function list(name: string, values: readonly string[] | undefined): string[] {
  return values === undefined || values.length === 0 ? [] : [`${name}: ${literal([...values])},`];
}

function isOld(value: unknown): value is { readonly kind?: string } {
  return typeof value === "object" && value !== null && "apiVersion" in value && value.apiVersion === oldApiVersion;
}

function checkCrd(value: unknown): CrdInput {
  const crd = value as Partial<CrdInput> | null | undefined;
  if (crd?.kind !== "CustomResourceDefinition")
    throw new ScaffoldError("BadCrd", "this is not a CustomResourceDefinition");
  if (crd.apiVersion !== "apiextensions.k8s.io/v1") {
    throw new ScaffoldError(
      "BadCrd",
      `cannot read ${crd.apiVersion}: a CRD is of apiextensions.k8s.io/v1, or of v1beta1 if it is old`,
    );
  }
  const { group, names, versions } = crd.spec ?? {};
  if (
    typeof group !== "string" ||
    typeof names?.kind !== "string" ||
    typeof names.plural !== "string" ||
    !Array.isArray(versions) ||
    versions.length === 0
  ) {
    throw new ScaffoldError("BadCrd", "the CRD lacks its group, its names or its versions");
  }
  checkGroup(group);
  checkKind(names.kind);
  checkPlural(names.plural);
  for (const { name } of versions) {
    if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
      throw new ScaffoldError("BadCrd", `"${name}" is not a version`);
  }
  return crd as CrdInput;
}
