/** Validation of the request policy of a device capacity. */
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "@capstan/kinds/resource.k8s.io/v1";
import {
  addQuantities,
  compareQuantities,
  fieldErrors,
  formatQuantity,
  parseQuantity,
  quantityToInteger,
  type FieldError,
} from "@capstan/model";
import { checkSet } from "./sets.ts";

const maxValues = 10;

export function checkRequestPolicy(capacity: string, policy: CapacityRequestPolicy, path: string): FieldError[] {
  const { validValues = [], validRange, default: share } = policy;
  if (validValues.length > 0 && validRange !== undefined) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [fieldErrors.forbidden(path, why)];
  }
  if (validValues.length > 0) {
    if (share === undefined) return [fieldErrors.required(`${path}.default`, "required when validValues is defined")];
    return checkValues({ share, capacity }, validValues, `${path}.validValues`);
  }
  if (validRange === undefined) return [];
  if (share === undefined) return [fieldErrors.required(`${path}.default`, "required when validRange is defined")];
  return checkRange({ share, capacity }, validRange, `${path}.validRange`);
}

interface Sizes {
  /** The default amount. */
  readonly share: string;
  readonly capacity: string;
}

function compare(a: string, b: string): number {
  return compareQuantities(parseQuantity(a), parseQuantity(b));
}

function checkValues({ share, capacity }: Sizes, values: readonly string[], path: string): FieldError[] {
  const unsorted = "values must be sorted in ascending order";
  return [
    ...values.flatMap((value, index) =>
      index > 0 && compare(values[index - 1] ?? value, value) > 0
        ? [fieldErrors.invalid(`${path}[${index}]`, value, unsorted)]
        : [],
    ),
    ...checkSet(values, path, {
      limit: maxValues,
      check: (value, at) =>
        compare(value, capacity) > 0
          ? [fieldErrors.invalid(at, value, `option is larger than capacity value: ${capacity}`)]
          : [],
      key: (value) => String(quantityToInteger(parseQuantity(value))),
    }),
    ...(values.some((value) => compare(value, share) === 0)
      ? []
      : [fieldErrors.invalid(path, share, "default value is not valid according to the requestPolicy")]),
  ];
}

function checkRange(sizes: Sizes, range: CapacityRequestPolicyRange, path: string): FieldError[] {
  const { min, step } = range;
  const { share, capacity } = sizes;
  if (min === undefined) return [fieldErrors.required(`${path}.min`, "required when validRange is defined")];
  return [
    ...(compare(min, capacity) > 0
      ? [fieldErrors.invalid(`${path}.min`, min, `min is larger than capacity value: ${capacity}`)]
      : []),
    ...(compare(share, min) < 0 ? [fieldErrors.invalid(`${path}.min`, share, `default is less than min: ${min}`)] : []),
    ...checkMaximum(sizes, { ...range, min }, `${path}.max`),
    ...(step === undefined ? [] : checkSteps(sizes, { ...range, min, step }, `${path}.step`)),
  ];
}

function checkMaximum(
  { share, capacity }: Sizes,
  { min, max }: { readonly min: string; readonly max?: string | undefined },
  path: string,
): FieldError[] {
  if (max === undefined) return [];
  return [
    ...(compare(min, max) > 0 ? [fieldErrors.invalid(path, min, `min is larger than max: ${max}`)] : []),
    ...(compare(max, capacity) > 0
      ? [fieldErrors.invalid(path, max, `max is larger than capacity value: ${capacity}`)]
      : []),
    ...(compare(share, max) > 0 ? [fieldErrors.invalid(path, share, `default is more than max: ${max}`)] : []),
  ];
}

interface Steps {
  readonly min: string;
  readonly max?: string | undefined;
  readonly step: string;
}

function checkSteps({ share, capacity }: Sizes, { min, max, step }: Steps, path: string): FieldError[] {
  const first = formatQuantity(addQuantities(parseQuantity(min), parseQuantity(step)));
  const value = (text: string): bigint => BigInt(quantityToInteger(parseQuantity(text)));
  const ends = [share, ...(max === undefined ? [] : [max])];
  const size = value(step);
  return [
    ...(compare(first, capacity) > 0
      ? [fieldErrors.invalid(path, step, `one step ${first} is larger than capacity value: ${capacity}`)]
      : []),
    ...ends.flatMap((end) =>
      size !== 0n && (value(end) - value(min)) % size !== 0n
        ? [fieldErrors.invalid(path, end, `value is not a multiple of a given step (${step}) from (${min})`)]
        : [],
    ),
  ];
}
