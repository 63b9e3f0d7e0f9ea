/** LimitRange: bounds and defaults of resource requests in a namespace. */
import type { LimitRange, LimitRangeItem } from "@capstan/kinds/v1";
import {
  checkQualifiedName,
  compareQuantities,
  fieldErrors,
  parseQuantity,
  quantityToInteger,
  toQuantity,
  type FieldError,
} from "@capstan/model";
import type { Draft } from "../draft.ts";
import { invalidEach, isEmpty } from "../meta/checks.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { compareTexts, roundQuantities } from "../meta/resource-list.ts";
import { checkContainerResourceName, checkResourceName, isOvercommitAllowed } from "../meta/resource-name.ts";
import { defineRules, type KindRules } from "../rules.ts";

export const limitRangeRules: KindRules<LimitRange> = defineRules<LimitRange>({
  createOnUpdate: true,
  defaults(draft) {
    for (const item of draft.spec?.limits ?? []) defaultItem(item);
  },
  prepareForCreate(draft, context) {
    if (isEmpty(draft.metadata.name)) draft.metadata.name = context.uid();
  },
  validateCreate: (range) => [...checkNamespaced(range), ...checkLimits(range)],
  validatesMetadata: true,
  validateUpdate: (range) => [...checkNamespaced(range), ...checkLimits(range)],
  canonicalize({ spec }) {
    // The store of kube-apiserver drops an empty list.
    if (spec?.limits?.length === 0) Object.assign(spec, { limits: null });
  },
  table: { row: (range) => ({ cells: [range.metadata.name ?? "", range.metadata.creationTimestamp ?? ""] }) },
});

const itemFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** Defaults of a container item: the default limit is the maximum, the default request is the default limit or the minimum. */
function defaultItem(item: Draft<LimitRangeItem>): void {
  if (item.type === "Container") {
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
  for (const field of itemFields) roundQuantities(item[field]);
}

function checkLimits({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, index) => {
    const path = `spec.limits[${index}]`;
    const errors = checkType(item.type, `${path}.type`);
    if (types.has(item.type)) errors.push(fieldErrors.duplicate(`${path}.type`, fieldErrors.named(item.type)));
    types.add(item.type);
    return [...errors, ...checkNames(item, path), ...checkAmounts(item, path)];
  });
}

function checkType(type: string, path: string): FieldError[] {
  const malformed = invalidEach(path, fieldErrors.named(type), checkQualifiedName(type));
  if (malformed.length > 0) return malformed;
  if (type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type)) return [];
  return [fieldErrors.invalid(path, type, "must be a standard limit type or fully qualified")];
}

function checkNames(item: LimitRangeItem, path: string): FieldError[] {
  const check = item.type === "Pod" || item.type === "Container" ? checkContainerResourceName : checkResourceName;
  const names = (field: (typeof itemFields)[number]): FieldError[] =>
    Object.keys(item[field] ?? {}).flatMap((name) => check(name, `${path}.${field}[${name}]`));
  const forbidden = (field: "default" | "defaultRequest"): FieldError[] =>
    Object.keys(item[field] ?? {}).length === 0
      ? []
      : [fieldErrors.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'")];
  const defaults = item.type === "Pod" ? forbidden : names;
  return [
    ...names("max"),
    ...names("min"),
    ...defaults("default"),
    ...defaults("defaultRequest"),
    ...checkClaimBounds(item, path),
    ...names("maxLimitRequestRatio"),
  ];
}

function checkClaimBounds({ type, min = {}, max = {} }: LimitRangeItem, path: string): FieldError[] {
  if (type !== "PersistentVolumeClaim" || "storage" in min || "storage" in max) return [];
  const why = "either minimum or maximum storage value is required, but neither was provided";
  return [fieldErrors.required(`${path}.limits`, why)];
}

function checkAmounts(item: LimitRangeItem, path: string): FieldError[] {
  const { min = {}, max = {}, maxLimitRequestRatio: ratios = {} } = item;
  const isPod = item.type === "Pod";
  const defaults = isPod ? {} : (item.default ?? {});
  const requests = isPod ? {} : (item.defaultRequest ?? {});
  const names = new Set([max, min, defaults, requests, ratios].flatMap((list) => Object.keys(list)));
  return [...names].flatMap((name) => {
    const own = {
      min: min[name],
      max: max[name],
      default: defaults[name],
      request: requests[name],
      ratio: ratios[name],
    };
    return [...checkOrder(own, name, path), ...checkRatio(own, name, path), ...checkExact(own, name, path)];
  });
}

interface Amounts {
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly default: string | undefined;
  readonly request: string | undefined;
  readonly ratio: string | undefined;
}

/** Pairs of amounts that must be in order, with the field and the value of the error. */
const orders: readonly (readonly [
  low: keyof Amounts,
  high: keyof Amounts,
  field: string,
  shown: keyof Amounts,
  words: readonly [string, string],
])[] = [
  ["min", "max", "min", "min", ["min value", "max value"]],
  ["min", "request", "defaultRequest", "request", ["min value", "default request value"]],
  ["request", "max", "defaultRequest", "request", ["default request value", "max value"]],
  ["request", "default", "defaultRequest", "request", ["default request value", "default limit value"]],
  ["min", "default", "default", "min", ["min value", "default value"]],
  ["default", "max", "default", "max", ["default value", "max value"]],
];

function checkOrder(own: Amounts, name: string, path: string): FieldError[] {
  return orders.flatMap(([low, high, field, shown, [lowWord, highWord]]) => {
    const a = own[low];
    const b = own[high];
    if (a === undefined || b === undefined || compareTexts(a, b) <= 0) return [];
    const why = `${lowWord} ${a} is greater than ${highWord} ${b}`;
    return [fieldErrors.invalid(`${path}.${field}[${name}]`, own[shown], why)];
  });
}

function checkRatio({ ratio, min, max }: Amounts, name: string, path: string): FieldError[] {
  if (ratio === undefined) return [];
  const here = `${path}.maxLimitRequestRatio[${name}]`;
  const errors =
    compareQuantities(parseQuantity(ratio), toQuantity(1)) < 0
      ? [fieldErrors.invalid(here, ratio, `ratio ${ratio} is less than 1`)]
      : [];
  if (min === undefined || max === undefined) return errors;
  const most = thousandths(max) / thousandths(min);
  if (thousandths(ratio) / 1000 <= most) return errors;
  const why = `ratio ${ratio} is greater than max/min = ${formatFloat(most)}`;
  return [...errors, fieldErrors.invalid(here, ratio, why)];
}

function thousandths(amount: string): number {
  return Number(quantityToInteger(parseQuantity(amount), -3));
}

/** Go's `%f`: six digits, and a sign on infinity. */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? value.toFixed(6) : "+Inf";
}

function checkExact({ default: limit, request }: Amounts, name: string, path: string): FieldError[] {
  if (isOvercommitAllowed(name) || limit === undefined || request === undefined) return [];
  if (compareTexts(limit, request) === 0) return [];
  const why = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [fieldErrors.invalid(`${path}.defaultRequest[${name}]`, request, why)];
}
