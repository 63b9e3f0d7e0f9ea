/** One device of a slice: attributes, capacity, consumed counters, taints and node. */
import type {
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from "@capstan/kinds/resource.k8s.io/v1";
import { byteLength, checkLabelValue, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkLabelKey, checkLabelName, invalidEach, isEmpty, requireOneOf } from "../meta/checks.ts";
import { checkRequestPolicy } from "./capacity.ts";
import { taintEffects } from "./claim-spec.ts";
import { checkAttributeName } from "./names.ts";
import { checkDevicePlace } from "./place.ts";
import { checkList, checkSet } from "./sets.ts";
import { occursBefore } from "../occurs-before.ts";

const maxAttributes = 32;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;
const maxConditions = 4;
const maxValueBytes = 64;

/** The context of the validation of a device. */
export interface DeviceContext {
  /** The device of the same name before the update. */
  readonly old: Device | undefined;
  /** Whether each device selects its nodes. */
  readonly perDevice: boolean;
}

export function checkDevice(device: Device, path: string, { old, perDevice }: DeviceContext): FieldError[] {
  const { attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  const amount = Object.keys(attributes).length + Object.keys(capacity).length;
  const tooMany = `the total number of attributes and capacities must not exceed ${maxAttributes}`;
  return [
    ...checkLabelName(device.name, `${path}.name`),
    ...(amount > maxAttributes ? [fieldErrors.invalid(path, amount, tooMany)] : []),
    ...checkNamed(attributes, `${path}.attributes`, checkAttribute),
    ...checkNamed(capacity, `${path}.capacity`, (one, at) => checkCapacity(one, at, device)),
    ...(isDeepEqual(old?.taints ?? [], taints) ? [] : checkList(taints, `${path}.taints`, maxTaints, checkTaint)),
    ...checkSet(consumesCounters, `${path}.consumesCounters`, {
      limit: maxConsumptions,
      check: checkConsumption,
      key: ({ counterSet }) => counterSet,
    }),
    ...checkDevicePlace(device, path, perDevice),
    ...checkBinding(device, path),
  ];
}

function checkNamed<T>(
  values: { readonly [name: string]: T },
  path: string,
  check: (value: T, path: string) => FieldError[],
): FieldError[] {
  return Object.entries(values).flatMap(([name, value]) => [
    ...checkAttributeName(name, path),
    ...check(value, `${path}[${name}]`),
  ]);
}

const number = String.raw`(0|[1-9]\d*)`;
const early = String.raw`(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const build = "[0-9a-zA-Z-]+";
const semver = new RegExp(
  String.raw`^${number}\.${number}\.${number}(-${early}(\.${early})*)?(\+${build}(\.${build})*)?$`,
);

function checkAttribute(attribute: DeviceAttribute, path: string): FieldError[] {
  const { bool, int, string, version } = attribute;
  const given = [bool, int, string, version].filter((value) => value !== undefined).length;
  const one = "exactly one value must be specified";
  return [
    ...(string === undefined ? [] : checkLength(string, `${path}.string`)),
    ...(version === undefined ? [] : checkVersion(version, `${path}.version`)),
    ...(given === 1 ? [] : [fieldErrors.invalid(path, given === 0 ? "" : shownAttribute(attribute), one)]),
  ];
}

function shownAttribute({ int, bool, string, version }: DeviceAttribute): object {
  const [IntValue, BoolValue] = [int ?? null, bool ?? null];
  const lists = { IntValues: null, BoolValues: null, StringValues: null, VersionValues: null };
  return { IntValue, BoolValue, StringValue: string ?? null, VersionValue: version ?? null, ...lists };
}

function checkVersion(version: string, path: string): FieldError[] {
  const why = "must be a string compatible with semver.org spec 2.0.0";
  return [...(semver.test(version) ? [] : [fieldErrors.invalid(path, version, why)]), ...checkLength(version, path)];
}

function checkLength(value: string, path: string): FieldError[] {
  return byteLength(value) > maxValueBytes ? [fieldErrors.tooLong(path, maxValueBytes)] : [];
}

/** Only devices that allow multiple allocations may have a request policy. */
function checkCapacity({ value, requestPolicy }: DeviceCapacity, path: string, device: Device): FieldError[] {
  if (requestPolicy === undefined) return [];
  const at = `${path}.requestPolicy`;
  if (device.allowMultipleAllocations === true) return checkRequestPolicy(value, requestPolicy, at);
  return [fieldErrors.forbidden(at, "allowMultipleAllocations must be true")];
}

function checkTaint({ key, value, effect }: DeviceTaint, path: string): FieldError[] {
  return [
    ...checkLabelKey(key, `${path}.key`),
    ...(isEmpty(value) ? [] : invalidEach(`${path}.value`, value, checkLabelValue(value))),
    ...requireOneOf(effect, `${path}.effect`, taintEffects),
  ];
}

function checkConsumption({ counterSet, counters }: DeviceCounterConsumption, path: string): FieldError[] {
  return [...checkCounterName(counterSet, `${path}.counterSet`), ...checkCounters(counters, `${path}.counters`)];
}

/** The name of a set of counters. */
export function checkCounterName(name: string, path: string): FieldError[] {
  return isEmpty(name) ? [fieldErrors.required(path)] : checkLabelName(name, path);
}

/** Checks a map of counters. */
export function checkCounters(counters: { readonly [name: string]: unknown } | undefined, path: string): FieldError[] {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) return [fieldErrors.required(path)];
  if (names.length > maxCounters) return [fieldErrors.tooMany(path, names.length, maxCounters)];
  return names.flatMap((name) => checkLabelName(name, path));
}

/** Checks the binding conditions of a device. */
export function checkBinding(
  device: Pick<Device, "bindingConditions" | "bindingFailureConditions">,
  path: string,
): FieldError[] {
  const { bindingConditions: good = [], bindingFailureConditions: bad = [] } = device;
  const [atGood, atBad] = [`${path}.bindingConditions`, `${path}.bindingFailureConditions`];
  const overlap = "bindingFailureConditions must not overlap with bindingConditions";
  const repeated = (items: readonly string[], at: string): FieldError[] =>
    items.flatMap((item, index) =>
      occursBefore(items, index) ? [fieldErrors.duplicate(`${at}[${index}]`, item)] : [],
    );
  return [
    ...checkList(good, atGood, maxConditions, checkLabelKey),
    ...checkList(bad, atBad, maxConditions, checkLabelKey),
    ...repeated(good, atGood),
    ...repeated(bad, atBad),
    ...bad.flatMap((item, index) =>
      good.includes(item) ? [fieldErrors.invalid(`${atBad}[${index}]`, item, overlap)] : [],
    ),
    ...(good.length === 0 && bad.length > 0
      ? [fieldErrors.invalid(atGood, null, "bindingConditions are required to use bindingFailureConditions")]
      : []),
    ...(bad.length === 0 && good.length > 0
      ? [fieldErrors.invalid(atBad, null, "bindingFailureConditions are required to use bindingConditions")]
      : []),
  ];
}
