/** The rules of a ClusterServiceVersion. */
import { checkDns1123Subdomain, checkLabelValue, quote } from "@capstan/model";
import type { Csv } from "../csv.ts";
import { csvType } from "../decode/csv-type.ts";
import { isZero } from "../decode/decode.ts";
import type { Field, GoType, Struct } from "../decode/go-type.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import { parseVersion } from "../semver.ts";
import { exampleFindings } from "./examples.ts";
import { aboutCsv, type Finding, finding } from "./finding.ts";

/** The message for a missing minKubeVersion. */
export const minKubeVersionMissing =
  "csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.";

/** Everything that is wrong with a ClusterServiceVersion. */
export function validateCsv(csv: Csv): Finding[] {
  const name = csv.metadata?.name ?? "";
  return [
    ...nameFindings(name, { value: name, field: "metadata.name" }),
    ...(csv.spec?.replaces ? nameFindings(name, { value: csv.spec.replaces, field: "spec.replaces" }) : []),
    ...exampleFindings(csv),
    ...installModeFindings(csv),
    ...minKubeVersionFindings(csv),
    // Decoded values are plain JSON.
    ...missingFields(csv as JsonObject, csvType, ""),
    ...annotationFindings(csv),
    ...versionFindings(csv),
  ];
}

function nameFindings(name: string, { value, field }: { readonly value: string; readonly field: string }): Finding[] {
  const problems = [...checkDns1123Subdomain(value), ...checkLabelValue(value)];
  return problems.length === 0
    ? []
    : [aboutCsv("Error", name, `${field} ${quote(value)} is invalid: ${problems.join(",")}`)];
}

function installModeFindings({ metadata, spec }: Csv): Finding[] {
  const name = metadata?.name ?? "";
  const modes = spec?.installModes ?? [];
  if (modes.length === 0) return [aboutCsv("Error", name, "install modes not found")];
  const isClusterWide = modes.every(({ type, supported = false }) => (type === "AllNamespaces") === supported);
  const converting = (spec?.webhookdefinitions ?? []).filter(({ conversionCRDs = [] }) => conversionCRDs.length > 0);
  const only = "only AllNamespaces InstallModeType is supported when conversionCRDs is present";
  return [
    ...(isClusterWide ? [] : converting.map(() => aboutCsv("Error", name, only))),
    ...(modes.some(({ supported }) => supported === true)
      ? []
      : [aboutCsv("Error", name, "none of InstallModeTypes are supported")]),
  ];
}

/** Whether the wanted version of Kubernetes is one. */
export function minKubeVersionFindings({ metadata, spec }: Csv): Finding[] {
  const name = metadata?.name ?? "";
  const version = spec?.minKubeVersion ?? "";
  if (version.trim() === "") return [aboutCsv("Warning", name, minKubeVersionMissing)];
  return parseVersion(version) === undefined
    ? [aboutCsv("Error", name, `csv.Spec.MinKubeVersion has an invalid value: ${version}`)]
    : [];
}

/** Fields that must not be empty, found as Go finds them: by the declaration of the type. */
function missingFields(value: JsonObject, struct: Struct, above: string): Finding[] {
  return struct.fields.flatMap((field) => missingField(value[field.json], field, above));
}

function missingField(value: JsonObject[string] | undefined, field: Field, above: string): Finding[] {
  const type: GoType = field.type();
  const path = above === "" ? field.go : `${above}.${field.go}`;
  const isStruct = type.kind === "struct" && !field.pointer;
  if (field.pointer || !isZero(value, type))
    return isStruct && isObject(value) && type.name.startsWith("v1alpha1.") ? missingFields(value, type, path) : [];
  if (field.optional) return [];
  return [
    finding("Error", "FieldNotFound", "required field missing", { field: path, value: isStruct ? "struct" : "field" }),
  ];
}

/** Annotations with case-sensitive names. */
const exactAnnotations = [
  "olm.operatorGroup",
  "olm.operatorNamespace",
  "olm.targetNamespaces",
  "olm.providedAPIs",
  "olm.skipRange",
];

function annotationFindings({ metadata }: Csv): Finding[] {
  const name = metadata?.name ?? "";
  return Object.keys(metadata?.annotations ?? {}).flatMap((key) => {
    const exact = exactAnnotations.find((one) => one.toLowerCase() === key.toLowerCase());
    const wrongCase = `provided annotation ${key} uses wrong case and should be ${exact} instead`;
    const properties = `found ${key} annotation, please define these properties in metadata/properties.yaml instead`;
    return [
      ...(exact !== undefined && exact !== key
        ? [finding("Error", "ValidationFailed", wrongCase, { value: name })]
        : []),
      ...(key === "olm.properties" ? [finding("Warning", "PropertiesAnnotationUsed", properties, { value: "" })] : []),
    ];
  });
}

function versionFindings({ apiVersion = "", kind = "", metadata }: Csv): Finding[] {
  const name = metadata?.name ?? "";
  const version = apiVersion.split("/").length > 2 ? "" : (apiVersion.split("/").at(-1) ?? "");
  return [
    ...(version === "" ? [aboutCsv("Error", name, "'apiVersion' is missing")] : []),
    ...(kind === "" ? [aboutCsv("Error", name, "'kind' is missing")] : []),
  ];
}
