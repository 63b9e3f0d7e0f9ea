/** ResourceSlice: a part of a pool of devices that a driver publishes. */
import type { CounterSet, ResourcePool, ResourceSliceSpec } from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkSamePointer, checkUnchanged } from "../meta/checks.ts";
import { checkDriverName } from "../pod-template/volume-sources.ts";
import { checkCounterName, checkCounters, checkDevice } from "./device.ts";
import { checkPoolName } from "./names.ts";
import { checkSlicePlace } from "./place.ts";
import { checkSet } from "./sets.ts";
import { isGiven } from "../given-empty.ts";

const maxDevices = 128;
const maxAdvancedDevices = 64;
const maxCounterSets = 8;

/** Checks a slice; `old` is set on update. */
export function checkSlice(spec: ResourceSliceSpec, old?: ResourceSliceSpec): FieldError[] {
  const { devices = [], sharedCounters = [], perDeviceNodeSelection } = spec;
  const isAdvanced = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length + consumesCounters.length > 0,
  );
  const isBoth = isGiven(spec, "sharedCounters") && isGiven(spec, "devices");
  return [
    ...checkDriverName(spec.driver ?? "", "spec.driver"),
    ...checkPool(spec.pool),
    ...(old === undefined ? [] : checkSame(spec, old)),
    ...checkSlicePlace(spec, "spec"),
    ...(isBoth ? [fieldErrors.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")] : []),
    ...checkSet(devices, "spec.devices", {
      limit: isAdvanced ? maxAdvancedDevices : maxDevices,
      check: (device, path) =>
        checkDevice(device, path, {
          old: old?.devices?.find(({ name }) => name === device.name),
          perDevice: perDeviceNodeSelection === true,
        }),
      key: ({ name }) => name,
    }),
    ...checkSet(sharedCounters, "spec.sharedCounters", {
      limit: maxCounterSets,
      check: checkCounterSet,
      key: ({ name }) => name,
    }),
  ];
}

function checkSame(spec: ResourceSliceSpec, old: ResourceSliceSpec): FieldError[] {
  return [
    ...checkUnchanged(spec.pool.name, old.pool.name, "spec.pool.name"),
    ...checkUnchanged(spec.driver, old.driver, "spec.driver"),
    ...checkSamePointer(spec.nodeName, old.nodeName, "spec.nodeName"),
  ];
}

function checkPool({ name, resourceSliceCount, generation }: ResourcePool): FieldError[] {
  const [more, none] = ["must be greater than zero", "must be greater than or equal to zero"];
  return [
    ...checkPoolName(name ?? "", "spec.pool.name"),
    ...(resourceSliceCount > 0 ? [] : [fieldErrors.invalid("spec.pool.resourceSliceCount", resourceSliceCount, more)]),
    ...(generation >= 0 ? [] : [fieldErrors.invalid("spec.pool.generation", generation, none)]),
  ];
}

function checkCounterSet({ name, counters }: CounterSet, path: string): FieldError[] {
  return [...checkCounterName(name, `${path}.name`), ...checkCounters(counters, `${path}.counters`)];
}
