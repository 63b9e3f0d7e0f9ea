/** The nodes of the devices of a slice: one, some, or all, set once for the slice or by each device. */
import type { Device, ResourceSliceSpec } from "@capstan/kinds/resource.k8s.io/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkSubdomain } from "../meta/checks.ts";
import { toInternalList } from "../meta/internal-form.ts";
import { checkNodeSelector } from "../selector/node-selector.ts";

interface Said {
  readonly fields: readonly string[];
  readonly errors: readonly FieldError[];
}

type Places = Pick<ResourceSliceSpec, "nodeName" | "nodeSelector" | "allNodes">;

function placesOf({ nodeName, nodeSelector, allNodes }: Places, path: string, emptyName: string): Said {
  const errors = [
    ...(nodeName === undefined
      ? []
      : nodeName === ""
        ? [fieldErrors.invalid(`${path}.nodeName`, nodeName, emptyName)]
        : checkSubdomain(nodeName, `${path}.nodeName`)),
    ...(nodeSelector === undefined ? [] : checkNodeSelector(nodeSelector, `${path}.nodeSelector`)),
    ...(allNodes === false ? [mustBeTrue(`${path}.allNodes`)] : []),
  ];
  const fields = [
    ...((nodeName ?? "") === "" ? [] : ["`nodeName`"]),
    ...(nodeSelector === undefined ? [] : ["`nodeSelector`"]),
    ...(allNodes === true ? ["`allNodes`"] : []),
  ];
  return { fields, errors };
}

function mustBeTrue(path: string): FieldError {
  return fieldErrors.invalid(path, false, "must be either unset or set to true");
}

/** Checks the node selection of a slice. */
export function checkSlicePlace(spec: ResourceSliceSpec, path: string): FieldError[] {
  const { nodeSelector, perDeviceNodeSelection: perDevice } = spec;
  const { fields, errors } = placesOf(spec, path, "must be either unset or set to a non-empty string");
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  const all = [...fields, ...(perDevice === true ? ["`perDeviceNodeSelection`"] : [])];
  const one = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  const isOneTerm = nodeSelector === undefined || terms.length === 1;
  const shown = toInternalList("NodeSelectorTerm", nodeSelector?.nodeSelectorTerms ?? undefined);
  const at = `${path}.nodeSelector.nodeSelectorTerms`;
  return [
    ...errors,
    ...(isOneTerm ? [] : [fieldErrors.invalid(at, shown, "must have exactly one node selector term")]),
    ...(perDevice === false ? [mustBeTrue(`${path}.perDeviceNodeSelection`)] : []),
    ...(all.length === 0 ? [fieldErrors.required(path, one)] : []),
    ...(all.length > 1
      ? [fieldErrors.invalid(path, `{${all.join(", ")}}`, `${one}, but multiple fields are set`)]
      : []),
  ];
}

/** Checks the node selection of a device. */
export function checkDevicePlace(device: Device, path: string, perDevice: boolean): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
    const why =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return [fieldErrors.invalid(path, null, why)];
  }
  const { fields, errors } = placesOf(device, path, "must not be empty");
  const one =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  return [
    ...errors,
    ...(fields.length === 0 ? [fieldErrors.required(path, one)] : []),
    ...(fields.length > 1 ? [fieldErrors.invalid(path, `{${fields.join(", ")}}`, one)] : []),
  ];
}
