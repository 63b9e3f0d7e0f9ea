/** The status of a ResourceClaim: the allocation and its consumers. */
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from "@capstan/kinds/resource.k8s.io/v1";
import { byteLength, fieldErrors, isDeepEqual, toCanonicalJson, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { checkLabelName, checkPresent, requireOneOf } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { checkInterfaceAddress } from "../meta/ip-checks.ts";
import { checkConditions } from "../policy/conditions.ts";
import { checkDriverName } from "../pod-template/volume-sources.ts";
import { checkNodeSelector } from "../selector/node-selector.ts";
import { checkReference, maxRequests, type RequestNames } from "./claim-spec.ts";
import { checkConfiguration, checkRaw, maxConfigurations } from "./configuration.ts";
import { checkBinding } from "./device.ts";
import { checkPoolName, checkShare } from "./names.ts";
import { checkList, checkSet, checkTexts } from "./sets.ts";

const maxUsers = 256;
const maxResults = 32;
const maxConditions = 8;
const maxDataBytes = 10 * 1024;
const [maxInterfaceBytes, maxHardwareBytes] = [256, 128];
const maxAddresses = 16;

/** The context of the validation of a status. */
export interface StatusContext {
  readonly old: ResourceClaimStatus;
  readonly requests: RequestNames;
  readonly isDeleted: boolean;
}

export function checkClaimStatus(status: ResourceClaimStatus, context: StatusContext): FieldError[] {
  const { reservedFor = [], devices = [], allocation } = status;
  const known = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  return [
    ...checkSet(reservedFor, "status.reservedFor", { limit: maxUsers, check: checkUser, key: ({ uid }) => uid }),
    ...checkSet(devices, "status.devices", {
      limit: Infinity,
      check: (device, path) => checkDeviceStatus(device, path, known),
      key: deviceKey,
      shown: shownDevice,
    }),
    ...checkReservation(status, context),
    ...checkChangedAllocation(allocation, context),
  ];
}

/** Drops the status of devices that are no longer allocated. */
export function dropDeallocated(status: Draft<ResourceClaimStatus>, old: ResourceClaimStatus): void {
  const kept = new Set((status.allocation?.devices?.results ?? []).map(deviceKey));
  const gone = new Set((old.allocation?.devices?.results ?? []).map(deviceKey).filter((key) => !kept.has(key)));
  const devices = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
  if (devices.length > 0) status.devices = devices;
  else delete status.devices;
}

function checkReservation(
  { reservedFor = [], allocation }: ResourceClaimStatus,
  { old, isDeleted }: StatusContext,
): FieldError[] {
  const path = "status.reservedFor";
  if (reservedFor.length === 0) return [];
  if (allocation === undefined) {
    return [fieldErrors.forbidden(path, "may not be specified when `allocated` is not set")];
  }
  const before = new Set((old.reservedFor ?? []).map(toCanonicalJson));
  const isNew = (user: ResourceClaimConsumerReference): boolean => !before.has(toCanonicalJson(user));
  if (!isDeleted || !reservedFor.some(isNew)) return [];
  const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return [fieldErrors.forbidden(path, why)];
}

/** An allocation is immutable, but may be removed as a whole. */
function checkChangedAllocation(
  allocation: AllocationResult | undefined,
  { old, requests }: StatusContext,
): FieldError[] {
  if (allocation === undefined) return [];
  if (old.allocation === undefined) return checkAllocation(allocation, requests);
  if (isDeepEqual(allocation, old.allocation)) return [];
  return [fieldErrors.invalid("status.allocation", toInternal("AllocationResult", allocation), "field is immutable")];
}

function checkAllocation({ devices = {}, nodeSelector }: AllocationResult, requests: RequestNames): FieldError[] {
  const path = "status.allocation";
  return [
    ...checkList(devices?.results ?? [], `${path}.devices.results`, maxResults, (result, at) =>
      checkResult(result, at, requests),
    ),
    ...checkList(devices.config ?? [], `${path}.devices.config`, 2 * maxConfigurations, (config, at) =>
      checkAllocatedConfiguration(config, at, requests),
    ),
    ...(nodeSelector === undefined ? [] : checkNodeSelector(nodeSelector, `${path}.nodeSelector`)),
  ];
}

function checkResult(result: DeviceRequestAllocationResult, path: string, requests: RequestNames): FieldError[] {
  const { request, driver, pool, device, shareID } = result;
  return [
    ...checkReference(request, `${path}.request`, requests),
    ...checkDriverName(driver, `${path}.driver`),
    ...checkPoolName(pool, `${path}.pool`),
    ...checkLabelName(device, `${path}.device`),
    ...checkBinding(result, path),
    ...(shareID === undefined ? [] : checkShare(shareID, `${path}.shareID`)),
  ];
}

function checkAllocatedConfiguration(
  config: DeviceAllocationConfiguration,
  path: string,
  requests: RequestNames,
): FieldError[] {
  return [
    ...requireOneOf(config.source, `${path}.source`, ["FromClaim", "FromClass"]),
    ...checkTexts(config.requests ?? [], `${path}.requests`, maxRequests, (name, at) =>
      checkReference(name, at, requests),
    ),
    ...checkConfiguration(config, path),
  ];
}

function checkUser({ resource, name, uid }: ResourceClaimConsumerReference, path: string): FieldError[] {
  return [
    ...checkPresent(resource, `${path}.resource`),
    ...checkPresent(name, `${path}.name`),
    ...checkPresent(uid, `${path}.uid`),
  ];
}

type DeviceId = Pick<AllocatedDeviceStatus, "driver" | "pool" | "device" | "shareID">;

/** A device in the form of error messages. */
function shownDevice({ driver, pool, device, shareID = "" }: DeviceId): object {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

function deviceKey({ driver, pool, device, shareID }: DeviceId): string {
  return `${driver}/${pool}/${device}${shareID === undefined ? "" : `/${shareID}`}`;
}

function checkDeviceStatus(device: AllocatedDeviceStatus, path: string, known: ReadonlySet<string>): FieldError[] {
  const { data, networkData, shareID } = device;
  const conditions = device.conditions ?? [];
  return [
    ...checkDriverName(device.driver, `${path}.driver`),
    ...checkPoolName(device.pool, `${path}.pool`),
    ...checkLabelName(device.device, `${path}.device`),
    ...(shareID === undefined ? [] : checkShare(shareID, `${path}.shareID`)),
    ...(known.has(deviceKey(device))
      ? []
      : [fieldErrors.invalid(path, shownDevice(device), "must be an allocated device in the claim")]),
    ...(conditions.length > maxConditions
      ? [fieldErrors.tooMany(`${path}.conditions`, conditions.length, maxConditions)]
      : []),
    ...checkConditions(conditions, `${path}.conditions`),
    ...(data === undefined ? [] : checkRaw(data, `${path}.data`, maxDataBytes)),
    ...(networkData === undefined ? [] : checkNetwork(networkData, `${path}.networkData`)),
  ];
}

function checkNetwork(data: NetworkDeviceData, path: string): FieldError[] {
  const { interfaceName = "", hardwareAddress = "", ips = [] } = data;
  return [
    ...(byteLength(interfaceName) > maxInterfaceBytes
      ? [fieldErrors.tooLong(`${path}.interfaceName`, maxInterfaceBytes)]
      : []),
    ...(byteLength(hardwareAddress) > maxHardwareBytes
      ? [fieldErrors.tooLong(`${path}.hardwareAddress`, maxHardwareBytes)]
      : []),
    ...checkTexts(ips, `${path}.ips`, maxAddresses, checkInterfaceAddress),
  ];
}
