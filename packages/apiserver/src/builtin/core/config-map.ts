/** ConfigMap: small configuration data that is not secret. */
import type { ConfigMap } from "@capstan/kinds/v1";
import { byteLength, checkConfigMapKey, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { invalidEach } from "../meta/checks.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { base64Length, maxDataSize } from "./data-size.ts";
import { isSameField } from "../given-empty.ts";

export const configMapRules: KindRules<ConfigMap> = defineRules<ConfigMap>({
  validateCreate: (map) => [...checkData(map)],
  validateUpdate: (map, old) => [...checkImmutable(map, old), ...checkNamespaced(map), ...checkData(map)],
  table: {
    row: (map, now) => ({ cells: [map.metadata.name ?? "", countKeys(map), ageOf(map, now)] }),
  },
});

function countKeys({ data = {}, binaryData = {} }: ConfigMap): number {
  return Object.keys(data).length + Object.keys(binaryData).length;
}

function checkData({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...invalidEach(`data[${key}]`, key, checkConfigMapKey(key)));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(fieldErrors.invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    size += byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...invalidEach(`binaryData[${key}]`, key, checkConfigMapKey(key)));
    size += base64Length(value);
  }
  return size > maxDataSize ? [...errors, fieldErrors.tooLong("[]", maxDataSize)] : errors;
}

function checkImmutable(map: ConfigMap, old: ConfigMap): FieldError[] {
  if (old.immutable !== true) return [];
  const why = "field is immutable when `immutable` is set";
  return [
    ...(map.immutable === true ? [] : [fieldErrors.forbidden("immutable", why)]),
    // Absent and empty data are equal here.
    ...(isDeepEqual(map.data ?? {}, old.data ?? {}) ? [] : [fieldErrors.forbidden("data", why)]),
    ...(isSameField(map, old, "binaryData") ? [] : [fieldErrors.forbidden("binaryData", why)]),
  ];
}
