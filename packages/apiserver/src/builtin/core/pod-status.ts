/** The `status` subresource of a pod, which kubelets write. */
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "@capstan/kinds/v1";
import { byteLength, fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import {
  checkLabelName,
  checkOneOf,
  checkQualified,
  checkSamePointer,
  checkSubdomain,
  isEmpty,
} from "../meta/checks.ts";
import { toInternalList } from "../meta/internal-form.ts";
import { ipFamilyOf } from "../meta/ip-address.ts";
import { checkIp, ipWarnings } from "../meta/ip-checks.ts";
import { statusView } from "../meta/status.ts";
import { checkId } from "../pod-template/security-context.ts";
import type { ViewRules } from "../rules.ts";
import { checkAnnotationChange } from "./pod-update.ts";

export const podStatusView: ViewRules<Pod> = statusView<Pod>({
  resetFields: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
  prepare(draft, old) {
    delete draft.metadata.deletionTimestamp;
    if (old.metadata.ownerReferences === undefined) delete draft.metadata.ownerReferences;
    else draft.metadata.ownerReferences = old.metadata.ownerReferences.map((reference) => ({ ...reference }));
    const { status = {} } = old;
    draft.status ??= {};
    if (isEmpty(draft.status.qosClass) && status.qosClass !== undefined) draft.status.qosClass = status.qosClass;
    keepGenerations(draft.status, status);
    dropDisabledStatus(draft.status, status);
  },
  validate: (pod, old) => [...checkAnnotationChange(pod, old), ...checkStatus(pod, old)],
  warnings: ({ status }) =>
    (["podIPs", "hostIPs"] as const).flatMap((field) =>
      (status?.[field] ?? []).flatMap(({ ip }, index) => ipWarnings(ip, `status.${field}[${index}].ip`)),
    ),
});

/** Drops fields of disabled feature gates, unless the stored status has them. */
function dropDisabledStatus(status: Draft<PodStatus>, old: PodStatus): void {
  if (old.nodeAllocatableResourceClaimStatuses === undefined) delete status.nodeAllocatableResourceClaimStatuses;
  if (mountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined)) return;
  for (const mount of mountsOf(status)) delete mount.volumeStatus;
}

/** The volume mounts in the container statuses. */
function mountsOf(status: PodStatus): { volumeStatus?: unknown }[] {
  const containers = statusFields.flatMap((field) => status[field] ?? []);
  return containers.flatMap(({ volumeMounts = [] }) => [...volumeMounts]);
}

/** Clients that do not know generations must not clear them. */
function keepGenerations(status: Draft<PodStatus>, old: PodStatus): void {
  if ((status.observedGeneration ?? 0) === 0 && old.observedGeneration !== undefined) {
    status.observedGeneration = old.observedGeneration;
  }
  const before = [...(old.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const index = before.findIndex(({ type }) => type === condition.type);
    const [twin] = index < 0 ? [] : before.splice(index, 1);
    if ((condition.observedGeneration ?? 0) === 0 && twin?.observedGeneration !== undefined) {
      condition.observedGeneration = twin.observedGeneration;
    }
  }
}

function checkStatus(pod: Pod, old: Pod): FieldError[] {
  const { status = {}, spec = { containers: [] } } = pod;
  const { status: before = {} } = old;
  return [
    ...checkConditions(status, "status.conditions"),
    ...checkNomination(status, old),
    ...((status.observedGeneration ?? 0) < 0
      ? [fieldErrors.invalid("status.observedGeneration", status.observedGeneration, "must be a non-negative integer")]
      : []),
    ...checkSamePointer(status.qosClass ?? "", before.qosClass ?? "", "status.qosClass"),
    ...checkTransitions(status.containerStatuses, before.containerStatuses, {
      path: "status.containerStatuses",
      mayRestart: (name, code) => mayRestart(old.spec, old.spec?.containers ?? [], name, code),
    }),
    ...checkTransitions(status.initContainerStatuses, before.initContainerStatuses, {
      path: "status.initContainerStatuses",
      mayRestart: (name, code) => mayRestart(old.spec, old.spec?.initContainers ?? [], name, code),
    }),
    ...checkTransitions(status.ephemeralContainerStatuses, before.ephemeralContainerStatuses, {
      path: "status.ephemeralContainerStatuses",
      mayRestart: () => false,
    }),
    ...checkClaimStatuses(status, spec),
    ...checkExtendedClaim(status.extendedResourceClaimStatus, spec),
    ...checkAddresses(status.podIPs ?? [], before.podIPs ?? [], "status.podIPs", "PodIP"),
    ...checkHostAddresses(status, before),
    ...checkContainerDetails(status, spec),
  ];
}

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

function checkConditions({ conditions = [] }: PodStatus, path: string): FieldError[] {
  return conditions.flatMap(({ type, observedGeneration = 0 }, index) => [
    ...(observedGeneration < 0
      ? [
          fieldErrors.invalid(
            `${path}[${index}].observedGeneration`,
            observedGeneration,
            "must be a non-negative integer",
          ),
        ]
      : []),
    ...(systemConditions.has(type) ? [] : checkQualified(type, `${path}[${index}].Type`)),
  ]);
}

function checkNomination({ nominatedNodeName: name = "" }: PodStatus, { spec, status }: Pod): FieldError[] {
  const path = "status.nominatedNodeName";
  if (name === "" || name === (status?.nominatedNodeName ?? "")) return [];
  const errors = checkSubdomain(name, path);
  if (isEmpty(spec?.nodeName)) return errors;
  return [...errors, fieldErrors.forbidden(path, "may not be set on pods that are already bound to a node")];
}

interface Transition {
  readonly path: string;
  readonly mayRestart: (name: string, exitCode: number) => boolean;
}

/** A terminated container must not run again, unless it may be restarted. */
function checkTransitions(
  now: readonly ContainerStatus[] = [],
  before: readonly ContainerStatus[] = [],
  { path, mayRestart: isAllowed }: Transition,
): FieldError[] {
  return before.flatMap(({ name, state }, index) => {
    const ended = state?.terminated;
    if (ended === undefined) return [];
    const next = now.find((one) => one.name === name && one.state?.terminated === undefined);
    if (next === undefined || isAllowed(name, ended.exitCode)) return [];
    return [fieldErrors.forbidden(`${path}[${index}].state`, "may not be transitioned to non-terminated state")];
  });
}

function mayRestart(spec: PodSpec | undefined, containers: readonly Container[], name: string, code: number): boolean {
  if (everyContainerMayRestart(spec)) return true;
  const container = containers.find((one) => one.name === name);
  return container !== undefined && shouldRestart(container, spec?.restartPolicy ?? "Always", code);
}

/** If a rule restarts all containers, every container may run again. */
function everyContainerMayRestart(spec: PodSpec | undefined): boolean {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}

function shouldRestart(container: Container, podPolicy: string, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = (exitCodes?.values ?? []).includes(exitCode);
    const isMatch = exitCodes !== undefined && isListed === (exitCodes.operator === "In");
    if (isMatch) return action === "Restart";
  }
  const policy = container.restartPolicy ?? podPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function checkClaimStatuses({ resourceClaimStatuses = [] }: PodStatus, { resourceClaims = [] }: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return resourceClaimStatuses.flatMap(({ name, resourceClaimName }, index) => {
    const path = `status.resourceClaimStatuses[${index}]`;
    const errors: FieldError[] = [];
    if (!resourceClaims.some((claim) => claim.name === name)) {
      const why = "must match the name of an entry in `spec.resourceClaims`";
      errors.push(fieldErrors.invalid(`${path}.name`, name, why));
    }
    if (seen.has(name)) errors.push(fieldErrors.duplicate(`${path}.name`, name));
    seen.add(name);
    if (resourceClaimName === undefined) return errors;
    return [...errors, ...checkSubdomain(resourceClaimName, `${path}.resourceClaimName`)];
  });
}

/** Checks extended resources that were allocated through a resource claim. */
function checkExtendedClaim(claim: PodStatus["extendedResourceClaimStatus"], spec: PodSpec): FieldError[] {
  if (claim === undefined) return [];
  const path = "status.extendedResourceClaimStatus";
  const mappings = claim.requestMappings ?? [];
  const seen = new Set<string>();
  const errors =
    mappings.length > 0
      ? []
      : [fieldErrors.required(`${path}.requestMappings`, "at least one request mapping is required")];
  mappings.forEach((mapping, index) => {
    const { containerName, resourceName, requestName } = mapping;
    const here = `${path}.requestMappings[${index}]`;
    errors.push(...checkMapping(mapping, spec, here), ...checkLabelName(requestName, `${path}.requestName`));
    const key = `${containerName}/${resourceName}/${requestName}`;
    if (seen.has(key)) {
      for (const field of ["containerName", "resourceName", "requestName"] as const) {
        errors.push(fieldErrors.duplicate(`${here}.${field}`, mapping[field]));
      }
    }
    seen.add(key);
  });
  const { resourceClaimName } = claim;
  const namePath = `${path}.resourceClaimName`;
  return [
    ...errors,
    ...(isEmpty(resourceClaimName) ? [fieldErrors.required(namePath)] : checkSubdomain(resourceClaimName, namePath)),
  ];
}

interface Mapping {
  readonly containerName: string;
  readonly resourceName: string;
}

function checkMapping({ containerName, resourceName }: Mapping, spec: PodSpec, path: string): FieldError[] {
  const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].findLast(
    ({ name }) => name === containerName,
  );
  if (container === undefined) {
    const why = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
    return [fieldErrors.invalid(`${path}.containerName`, containerName, why)];
  }
  if (resourceName in (container.resources?.requests ?? {})) return [];
  const why =
    "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
  return [fieldErrors.invalid(`${path}.resourceName`, resourceName, why)];
}

interface Address {
  readonly ip: string;
}

function checkAddresses(
  addresses: readonly Address[],
  before: readonly Address[],
  path: string,
  type: "PodIP" | "HostIP",
): FieldError[] {
  const known = before.map(({ ip }) => ip);
  const errors = addresses.flatMap(({ ip }, index) => checkIp(ip, `${path}[${index}]`, known));
  if (addresses.length < 2) return errors;
  const families = addresses.map(({ ip }) => ipFamilyOf(ip));
  const unreadable = families.indexOf(undefined);
  if (unreadable >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${unreadable}]: ${addresses[unreadable]?.ip ?? ""}`;
    errors.push(fieldErrors.internal(path, why));
  } else if (new Set(families).size === 2 && addresses.length === 2) return errors;
  const shown = toInternalList(type, addresses);
  return [...errors, fieldErrors.invalid(path, shown, "may specify no more than one IP for each IP family")];
}

function checkHostAddresses({ hostIP = "", hostIPs = [] }: PodStatus, before: PodStatus): FieldError[] {
  const [first] = hostIPs;
  if (first === undefined) return [];
  const path = "status.hostIPs";
  return [
    ...(first.ip === hostIP ? [] : [fieldErrors.invalid(`${path}[0].ip`, first.ip, "must be equal to `hostIP`")]),
    ...checkAddresses(hostIPs, before.hostIPs ?? [], path, "HostIP"),
  ];
}

const statusFields = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

function checkContainerDetails(status: PodStatus, spec: PodSpec): FieldError[] {
  return [
    ...statusFields.flatMap((field) => checkUsers(status[field] ?? [], spec, `status.${field}`)),
    ...checkDevices(status.containerStatuses ?? [], spec.containers ?? [], "status.containerStatuses"),
    ...checkDevices(status.initContainerStatuses ?? [], spec.initContainers ?? [], "status.initContainerStatuses"),
    ...(status.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus = [] }, index) =>
      allocatedResourcesStatus.length === 0
        ? []
        : [
            fieldErrors.forbidden(
              `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`,
              "must not be specified in container status",
            ),
          ],
    ),
  ];
}

function checkUsers(statuses: readonly ContainerStatus[], { os }: PodSpec, path: string): FieldError[] {
  return statuses.flatMap(({ user }, index) => {
    const linux = user?.linux;
    const here = `${path}[${index}].user.linux`;
    if (linux === undefined) return [];
    if (os?.name === "windows") return [fieldErrors.forbidden(here, "cannot be set for a windows pod")];
    return [
      ...checkId(linux.uid, `${here}.uid`),
      ...checkId(linux.gid, `${here}.gid`),
      ...(linux.supplementalGroups ?? []).flatMap((group, at) => checkId(group, `${here}.supplementalGroups[${at}]`)),
    ];
  });
}

const healths = ["Healthy", "Unhealthy", "Unknown"];
const maxHealthMessage = 1024;

function checkDevices(
  statuses: readonly ContainerStatus[],
  containers: readonly Container[],
  path: string,
): FieldError[] {
  return statuses.flatMap(({ name, allocatedResourcesStatus = [] }, index) =>
    allocatedResourcesStatus.flatMap((device, at) => {
      const here = `${path}[${index}].allocatedResourcesStatus[${at}]`;
      const container = containers.find((one) => one.name === name);
      return [
        ...(container === undefined ? [] : checkDeviceName(device.name, container, `${here}.name`)),
        ...checkHealth(device.resources ?? [], `${here}.resources`),
      ];
    }),
  );
}

function checkDeviceName(name: string, { resources }: Container, path: string): FieldError[] {
  if (!name.startsWith("claim:")) {
    if (name in (resources?.requests ?? {})) return [];
    return [fieldErrors.invalid(path, name, "must match one of the container's resource requests")];
  }
  const claims = (resources?.claims ?? []).map(
    (claim) => `claim:${claim.name}${isEmpty(claim.request) ? "" : `/${claim.request}`}`,
  );
  if (claims.includes(name)) return [];
  const why =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return [fieldErrors.invalid(path, name, why)];
}

type Health = NonNullable<NonNullable<ContainerStatus["allocatedResourcesStatus"]>[number]["resources"]>[number];

function checkHealth(resources: readonly Health[], path: string): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ resourceID, health = "", message }, index) => {
    const here = `${path}[${index}]`;
    const errors = checkOneOf(health, `${here}.health`, healths);
    if (message === "") errors.push(fieldErrors.required(`${here}.message`, "must be non-empty if specified"));
    else if (byteLength(message ?? "") > maxHealthMessage) {
      errors.push(fieldErrors.tooLong(`${here}.message`, maxHealthMessage));
    }
    if (seen.has(resourceID)) errors.push(fieldErrors.duplicate(`${here}.resourceID`, resourceID));
    seen.add(resourceID);
    return errors;
  });
}
