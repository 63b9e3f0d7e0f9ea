/** StorageClass and VolumeAttributesClass: types of volumes that a driver provisions, and their mutable attributes. */
import type { StorageClass, VolumeAttributesClass } from "@capstan/kinds/storage.k8s.io/v1";
import type { TopologySelectorTerm } from "@capstan/kinds/v1";
import { byteLength, fieldErrors, isDeepEqual, toCanonicalJson, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import {
  checkLabelKey,
  checkOneOf,
  checkQualified,
  checkSamePointer,
  checkUnchanged,
  isEmpty,
} from "../meta/checks.ts";
import { nodeLabelWarning } from "../pod-template/node-label-warnings.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { givenOrNull, isSameField } from "../given-empty.ts";
import { occursBefore } from "../occurs-before.ts";

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClass: KindRules<StorageClass> = defineRules<StorageClass>({
  validatesMetadata: true,
  deletion: { returnsObject: true },
  defaults(draft) {
    draft.reclaimPolicy ??= "Delete";
    draft.volumeBindingMode ??= "Immediate";
  },
  validateCreate: checkStorageClass,
  validateUpdate: (object, old) => [
    ...checkStorageClass(object),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...(isDeepEqual(object.parameters, old.parameters)
      ? []
      : [fieldErrors.invalid("parameters", givenOrNull(object, "parameters"), "field is immutable")]),
    ...checkUnchanged(object.provisioner, old.provisioner, "provisioner"),
    ...checkSamePointer(object.reclaimPolicy, old.reclaimPolicy, "reclaimPolicy"),
    ...checkSamePointer(object.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode"),
  ],
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
      matchLabelExpressions.flatMap(({ key }, at) => {
        const warning = nodeLabelWarning(key);
        const path = `allowedTopologies[${index}].matchLabelExpressions[${at}].key`;
        return warning === undefined ? [] : [`${path}: ${warning}`];
      }),
    ),
  table: {
    row: (object, now) => {
      const { metadata, provisioner, reclaimPolicy = "Delete", volumeBindingMode = "Immediate" } = object;
      const isDefault = defaultAnnotations.some((key) => metadata.annotations?.[key] === "true");
      return {
        cells: [
          isDefault ? `${metadata.name} (default)` : metadata.name,
          provisioner,
          reclaimPolicy,
          volumeBindingMode,
          object.allowVolumeExpansion ?? false,
          ageOf(object, now),
        ],
      };
    },
  },
});

function checkStorageClass(object: StorageClass): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
  return [
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...checkProvisioner(provisioner, "provisioner"),
    ...checkParameters(parameters ?? {}, "parameters"),
    ...(isEmpty(reclaimPolicy) ? [] : checkOneOf(reclaimPolicy, "reclaimPolicy", ["Delete", "Retain"])),
    ...checkOneOf(volumeBindingMode, "volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]),
    ...checkTopologies(allowedTopologies, "allowedTopologies"),
  ];
}

function checkProvisioner(provisioner: string, path: string): FieldError[] {
  return isEmpty(provisioner) ? [fieldErrors.required(path)] : checkQualified(provisioner.toLowerCase(), path);
}

function checkParameters(parameters: { readonly [key: string]: string }, path: string): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) return [fieldErrors.tooLong(path, maxParameters)];
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => (key === "" ? [fieldErrors.invalid(path, key, "field can not be empty.")] : [])),
    ...(bytes > maxParameterBytes ? [fieldErrors.tooLong(path, maxParameterBytes)] : []),
  ];
}

/** The maximum number of duplicate errors per term: kube-apiserver reports each pair, which is too much for long lists. */
const maxRepetitions = 100;

/** Terms must be unique; an empty term is a duplicate of all terms. */
function checkTopologies(terms: readonly TopologySelectorTerm[], path: string): FieldError[] {
  const seen = new Map<string, number>([["{}", terms.length]]);
  return terms.flatMap((term, index) => {
    const values = toCanonicalJson(valuesByKey(term));
    const count = seen.get(values) ?? 0;
    const at = `${path}[${index}].matchLabelExpressions`;
    const duplicates = Array.from({ length: Math.min(count, maxRepetitions) }, () => fieldErrors.duplicate(at, ""));
    seen.set(values, count + 1);
    return [...checkTerm(term, at), ...duplicates];
  });
}

function valuesByKey({ matchLabelExpressions = [] }: TopologySelectorTerm): object {
  return Object.fromEntries(matchLabelExpressions.map(({ key, values }) => [key, [...new Set(values)].sort()]));
}

function checkTerm({ matchLabelExpressions = [] }: TopologySelectorTerm, path: string): FieldError[] {
  const keys = matchLabelExpressions.map(({ key }) => key);
  return matchLabelExpressions.flatMap((expression, index) => {
    const values = expression.values ?? [];
    const at = `${path}[${index}]`;
    return [
      ...(values.length === 0 ? [fieldErrors.required(`${at}.values`)] : []),
      ...values.flatMap((value, place) =>
        occursBefore(values, place) ? [fieldErrors.duplicate(`${at}.values[${place}]`, value)] : [],
      ),
      ...checkLabelKey(expression.key, `${at}.key`),
      ...(occursBefore(keys, index) ? [fieldErrors.duplicate(`${at}.key`, expression.key)] : []),
    ];
  });
}

export const volumeAttributesClass: KindRules<VolumeAttributesClass> = defineRules<VolumeAttributesClass>({
  deletion: { returnsObject: true },
  validateCreate: checkAttributes,
  validateUpdate: (object, old) => [
    ...(object.driverName === old.driverName
      ? []
      : [fieldErrors.forbidden("driverName", "updates to driverName are forbidden.")]),
    ...(isSameField(object, old, "parameters")
      ? []
      : [fieldErrors.forbidden("parameters", "updates to parameters are forbidden.")]),
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...checkAttributes(object),
  ],
  table: { row: (object, now) => ({ cells: [object.metadata.name, object.driverName, ageOf(object, now)] }) },
});

function checkAttributes({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  return [
    ...checkProvisioner(driverName, "driverName"),
    ...checkParameters(parameters, "parameters"),
    ...(Object.keys(parameters).length === 0
      ? [fieldErrors.required("parameters", "must contain at least one key/value pair")]
      : []),
  ];
}
