/** Defaults of a pod beyond those of a template. */
import type { Pod, PodSpec, ResourceRequirements } from "@capstan/kinds/v1";
import { containerTotals, formatQuantity } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { roundQuantities } from "../meta/resource-list.ts";
import { isHugePage, isOvercommitAllowed } from "../meta/resource-name.ts";
import { defaultHostPorts, defaultPodSpec, dropInitAnnotations } from "../pod-template/defaults.ts";
import { isPodLevelResource } from "../pod-template/resources.ts";
import { isGiven, noteEmpty } from "../given-empty.ts";

/** Defaults of a pod, on every decode. */
export function defaultPod(draft: Draft<Pod>): void {
  draft.spec ??= { containers: [] };
  const { spec } = draft;
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) requestLimits(resources);
  if (spec.resources !== undefined) defaultPodResources(spec, spec.resources);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    defaultHostPorts(spec.containers ?? []);
    defaultHostPorts(spec.initContainers);
  }
  defaultPodSpec(spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  dropInitAnnotations(draft.metadata.annotations);
  if (draft.status !== undefined) defaultStatus(draft.status);
}

/** A missing request defaults to the limit. */
function requestLimits(resources: Draft<ResourceRequirements> | undefined): void {
  if (resources === undefined || !isGiven(resources, "limits")) return;
  if (resources.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
  else noteEmpty(resources, "requests", {});
}

/** Pod-level requests default to the sum of the container requests, otherwise to the pod-level limits. */
function defaultPodResources(spec: Draft<PodSpec>, resources: Draft<ResourceRequirements>): void {
  const { limits = {}, requests = {} } = resources;
  if (isNone(limits) && isNone(requests)) return;
  for (const [name, sum] of containerTotals(spec, "limits")) {
    if (isHugePage(name) && !Object.hasOwn(requests, name)) limits[name] ??= formatQuantity(sum);
  }
  if (isNone(limits)) return;
  resources.limits = limits;
  requestSums(spec, requests);
  for (const [name, limit] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= limit;
  if (!isNone(requests)) resources.requests = requests;
}

function isNone(list: object): boolean {
  return Object.keys(list).length === 0;
}

function requestSums(spec: PodSpec, requests: { [name: string]: string }): void {
  for (const [name, sum] of containerTotals(spec, "requests")) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(sum);
  }
}

/** podIP and the first item of podIPs must agree. */
function defaultStatus(status: NonNullable<Draft<Pod>["status"]>): void {
  const { podIP = "", podIPs = [] } = status;
  if (podIP !== "" && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (!isEmpty(first)) status.podIP = first;
  const containers = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  for (const { allocatedResources, resources } of containers) {
    roundQuantities(allocatedResources);
    roundQuantities(resources?.limits);
    roundQuantities(resources?.requests);
  }
}
