/** The subresource `resize`: changes cpu and memory of a running pod, nothing else. */
import type { Container, Pod, PodSpec, ResourceRequirements } from "@capstan/kinds/v1";
import { cloneJson, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { keepField } from "../meta/status.ts";
import { mirrorAnnotation } from "../pod-template/annotations.ts";
import { isSidecar } from "../pod-template/containers.ts";
import type { ViewRules } from "../rules.ts";
import { keepPodMetadata } from "./pod-metadata.ts";
import { checkPod } from "./pod-check.ts";
import { bumpPodGeneration, podLeniency } from "./pod-update.ts";
import { qosClassOf } from "@capstan/model";

const emptySpec: PodSpec = { containers: [] };

export const resizeView: ViewRules<Pod> = {
  type: "view",
  resetFields: [],
  prepareForUpdate(draft, old) {
    keepAllButResources(draft, old);
    bumpPodGeneration(draft, old);
  },
  validateUpdate(pod, old) {
    if (old.metadata.annotations?.[mirrorAnnotation] !== undefined) {
      return [fieldErrors.forbidden("[]", "static pods cannot be resized")];
    }
    if (old.spec?.os?.name === "windows") return [fieldErrors.forbidden("[]", "windows pods cannot be resized")];
    return [...checkNamespaced(pod), ...checkPod(pod, podLeniency(old)), ...checkResize(pod, old)];
  },
};

/** Restores fields that `resize` must not change. If the containers differ, validation rejects the request. */
function keepAllButResources(draft: Draft<Pod>, old: Pod): void {
  const { spec: before = emptySpec } = old;
  const now = draft.spec ?? { containers: [] };
  const fields = ["containers", "initContainers"] as const;
  if (fields.some((field) => (now[field] ?? []).length !== (before[field] ?? []).length)) return;
  const spec = cloneJson(before);
  for (const field of fields) {
    const containers = mergeResources(now[field] ?? [], before[field] ?? []);
    if (containers.length > 0) spec[field] = containers;
  }
  if (now.resources === undefined) delete spec.resources;
  else spec.resources = now.resources;
  draft.spec = spec;
  keepField(draft, old, "status");
  keepPodMetadata(draft, old);
}

function mergeResources(now: Draft<Container>[], before: readonly Container[]): Draft<Container>[] {
  if (now.some(({ name }, index) => name !== before[index]?.name)) return now;
  return before.map((container, index) => {
    const merged = cloneJson(container);
    const { resources, resizePolicy } = now[index] ?? {};
    if (resources === undefined) delete merged.resources;
    else merged.resources = resources;
    if (resizePolicy === undefined) delete merged.resizePolicy;
    else merged.resizePolicy = resizePolicy;
    return merged;
  });
}

function checkResize(pod: Pod, old: Pod): FieldError[] {
  const { spec = emptySpec } = pod;
  const { spec: before = emptySpec, status = {} } = old;
  const errors: FieldError[] = [];
  if ((status.qosClass ?? qosClassOf(old.spec)) !== qosClassOf(pod.spec)) {
    const why = "Pod QOS Class may not change as a result of resizing";
    errors.push(fieldErrors.invalid("spec", pod.status?.qosClass ?? "", why));
  }
  if (!isSupported(old)) errors.push(fieldErrors.forbidden("spec", "Pod running on node without support for resize"));
  errors.push(...checkPodLevel(spec.resources, before.resources));
  const order = checkOrder(spec, before);
  if (order.length > 0) return [...errors, ...order];
  errors.push(...checkContainers(spec, before));
  if (errors.length > 0 || isDeepEqual(withOldAmounts(spec, before), before)) return errors;
  return [fieldErrors.forbidden("spec", "only cpu and memory resources are mutable")];
}

/** Nodes that support resizing report the resources of a running container. */
function isSupported({ status }: Pod): boolean {
  const running = (status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function isSet(resources: ResourceRequirements | undefined): boolean {
  return Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0;
}

function checkPodLevel(now: ResourceRequirements | undefined, before: ResourceRequirements | undefined): FieldError[] {
  if (!isSet(now) && !isSet(before)) return [];
  if (before !== undefined && now === undefined) {
    return [fieldErrors.forbidden("spec.resources", "pod-level resources cannot be removed")];
  }
  const errors = checkRemoved(now, before, "spec.resources", "pod-level resource");
  const munged = oldAmounts(now ?? {}, before ?? {});
  const isNothing = before === undefined && !isSet(munged) && (munged.claims ?? []).length === 0;
  if (isDeepEqual(isNothing ? undefined : munged, before)) return errors;
  return [...errors, fieldErrors.forbidden("spec", "only cpu and memory resources are mutable at pod-level")];
}

function checkRemoved(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
  path: string,
  what: string,
): FieldError[] {
  if (before === undefined) return [];
  return (["requests", "limits"] as const)
    .filter((field) => Object.keys(before[field] ?? {}).some((name) => !Object.hasOwn(now?.[field] ?? {}, name)))
    .map((field) => fieldErrors.forbidden(`${path}.${field}`, `${what} ${field} cannot be removed`));
}

function checkOrder(spec: PodSpec, before: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((field) => {
    const path = `spec.${field}`;
    const [now, old] = [spec[field] ?? [], before[field] ?? []];
    if (now.length !== old.length) {
      return [fieldErrors.forbidden(path, `${field} may not be added or removed on resize`)];
    }
    return old.flatMap(({ name }, index) =>
      now[index]?.name === name
        ? []
        : [fieldErrors.forbidden(`${path}[${index}].name`, `${field} may not be renamed or reordered on resize`)],
    );
  });
}

function checkContainers(spec: PodSpec, before: PodSpec): FieldError[] {
  const removed = (["initContainers", "containers"] as const).flatMap((field) =>
    (before[field] ?? []).flatMap(({ resources = {} }, index) =>
      checkRemoved(spec[field]?.[index]?.resources, resources, `spec.${field}[${index}].resources`, "resource"),
    ),
  );
  const changed = (before.containers ?? []).flatMap((old, index) => {
    const now = spec.containers[index];
    return now === undefined || isDeepEqual(withOldResources(now, old), normalized(old))
      ? []
      : [fieldErrors.forbidden("spec", "only cpu and memory resources are mutable")];
  });
  const changedInit = (before.initContainers ?? []).flatMap((old, index) => {
    const now = spec.initContainers?.[index];
    return now === undefined ? [] : checkInitContainer(now, old, `spec.initContainers[${index}]`);
  });
  return [...removed, ...changed, ...changedInit];
}

function checkInitContainer(now: Container, old: Container, path: string): FieldError[] {
  const errors = isDeepEqual(withOldResources(now, old), normalized(old))
    ? []
    : [fieldErrors.forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable")];
  if (isSidecar(now) || isDeepEqual(now, old)) return errors;
  const why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
  const restarting = (now.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === "RestartContainer");
  return [...errors, ...restarting.map(() => fieldErrors.forbidden(path, why))];
}

function withOldAmounts(spec: PodSpec, before: PodSpec): PodSpec {
  const munged: Draft<PodSpec> = cloneJson(spec);
  munged.containers = (spec.containers ?? []).map((one, index) =>
    cloneJson({ ...one, ...sameResources(before.containers[index]) }),
  );
  const { initContainers } = before;
  if (initContainers !== undefined) {
    munged.initContainers = (spec.initContainers ?? []).map((one, index) =>
      cloneJson({ ...one, ...sameResources(initContainers[index]) }),
    );
  }
  if (before.resources === undefined) delete munged.resources;
  else munged.resources = cloneJson(before.resources);
  return munged;
}

function sameResources(container: Container | undefined): Pick<Container, "resources"> {
  return container?.resources === undefined ? {} : { resources: container.resources };
}

function withOldResources(now: Container, old: Container): Container {
  return normalized({ ...now, resources: oldAmounts({ ...now.resources }, old.resources ?? {}) });
}

/** Resizing ignores claims; empty and absent lists are equal. */
function normalized(container: Container): Container {
  const { limits = {}, requests = {} } = container.resources ?? {};
  return { ...container, resources: { limits, requests } };
}

function oldAmounts(now: ResourceRequirements, before: ResourceRequirements): ResourceRequirements {
  const munged: Draft<ResourceRequirements> = cloneJson(now);
  for (const field of ["limits", "requests"] as const) {
    const list = withOldCpuAndMemory(now[field], before[field]);
    if (list === undefined) delete munged[field];
    else munged[field] = list;
  }
  return munged;
}

type List = { readonly [name: string]: string };

function withOldCpuAndMemory(now: List | undefined, before: List | undefined): { [name: string]: string } | undefined {
  if (now === undefined && before === undefined) return undefined;
  const { cpu: _cpu, memory: _memory, ...rest } = { ...now };
  const kept = Object.entries({ ...before }).filter(([name]) => name === "cpu" || name === "memory");
  return { ...rest, ...Object.fromEntries(kept) };
}
