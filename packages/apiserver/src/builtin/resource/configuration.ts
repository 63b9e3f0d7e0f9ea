/** Driver configuration of a device class, a claim or an allocation. */
import type { OpaqueDeviceConfiguration } from "@capstan/kinds/resource.k8s.io/v1";
import { byteLength, fieldErrors, toGoJson, type FieldError } from "@capstan/model";
import { checkDriverName } from "../pod-template/volume-sources.ts";

/** The maximum number of configurations of a class or claim. */
export const maxConfigurations = 32;

const maxParameterBytes = 10 * 1024;

/** Checks a configuration, which must have opaque parameters for a driver. */
export function checkConfiguration(
  { opaque }: { readonly opaque?: OpaqueDeviceConfiguration | undefined },
  path: string,
): FieldError[] {
  const at = `${path}.opaque`;
  if (opaque === undefined) return [fieldErrors.required(at)];
  return [
    ...checkDriverName(opaque.driver ?? "", `${at}.driver`),
    ...checkRaw(opaque.parameters, `${at}.parameters`, maxParameterBytes),
  ];
}

/** Checks opaque JSON parameters of a driver. */
export function checkRaw(value: unknown, path: string, limit: number): FieldError[] {
  if (value === undefined || value === null) return [fieldErrors.required(path)];
  if (byteLength(toGoJson(value)) > limit) return [fieldErrors.tooLong(path, limit)];
  if (typeof value === "object" && !Array.isArray(value)) return [];
  return [fieldErrors.invalid(path, "<value omitted>", "must be a valid JSON object")];
}
