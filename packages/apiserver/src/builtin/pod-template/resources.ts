/** Validation of requests and limits, of a container and of a pod. */
import type { PodSpec, ResourceRequirements } from "@capstan/kinds/v1";
import {
  compareQuantities,
  containerTotals,
  fieldErrors,
  formatQuantity,
  parseQuantity,
  quantityToInteger,
  type FieldError,
  type ResourceList,
} from "@capstan/model";
import { isGiven } from "../given-empty.ts";
import { checkLabelName, isEmpty } from "../meta/checks.ts";
import { compareTexts } from "../meta/resource-list.ts";
import {
  checkAmount,
  checkContainerResourceName,
  checkResourceName,
  isHugePage,
  isOvercommitAllowed,
} from "../meta/resource-name.ts";

type NameCheck = (name: string, path: string) => FieldError[];

interface Asked {
  readonly path: string;
  readonly checkName: NameCheck;
  readonly oddHugePages: boolean;
}

/** Checks requests and limits of a container; its claims must be claims of the pod. */
export function checkContainerResources(
  resources: ResourceRequirements,
  path: string,
  { claims = [], oddHugePages = false }: { claims?: readonly string[]; oddHugePages?: boolean } = {},
): FieldError[] {
  return [
    ...checkRequirements(resources, { path, checkName: checkContainerResourceName, oddHugePages }),
    ...checkClaimNames(resources.claims ?? [], claims, `${path}.claims`),
  ];
}

function checkRequirements({ limits = {}, requests = {} }: ResourceRequirements, asked: Asked): FieldError[] {
  const { path, oddHugePages } = asked;
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    errors.push(...checkEntry(name, amount, `${path}.limits[${name}]`, asked));
    errors.push(...checkPages(name, amount, `${path}.limits[${name}]`, oddHugePages));
  }
  for (const [name, amount] of Object.entries(requests)) {
    errors.push(...checkEntry(name, amount, `${path}.requests[${name}]`, asked));
    errors.push(...checkAgainstLimit(name, amount, limits[name], path));
    errors.push(...checkPages(name, amount, `${path}.requests[${name}]`, oddHugePages));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePage) && !names.some((name) => name === "cpu" || name === "memory")) {
    errors.push(fieldErrors.forbidden(path, "HugePages require cpu or memory"));
  }
  return errors;
}

function checkEntry(name: string, amount: string, path: string, { checkName }: Asked): FieldError[] {
  return [...checkName(name, path), ...checkAmount(name, amount, path)];
}

function checkAgainstLimit(name: string, amount: string, limit: string | undefined, path: string): FieldError[] {
  if (limit === undefined) {
    if (isOvercommitAllowed(name)) return [];
    return [fieldErrors.required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const compared = compareTexts(amount, limit);
  if (compared !== 0 && !isOvercommitAllowed(name)) {
    return [fieldErrors.invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  if (compared <= 0) return [];
  return [fieldErrors.invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)];
}

/** The amount of huge pages must be a multiple of the page size. */
function checkPages(name: string, amount: string, path: string, oddHugePages: boolean): FieldError[] {
  if (oddHugePages || !isHugePage(name) || isMultiple(amount, name.slice("hugepages-".length))) return [];
  return [fieldErrors.invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function isMultiple(amount: string, pageText: string): boolean {
  let page: bigint;
  try {
    const quantity = parseQuantity(pageText);
    if (quantityToInteger(quantity, -3) % 1000n !== 0n) return false;
    page = quantityToInteger(quantity);
  } catch {
    return false;
  }
  return page > 0n && quantityToInteger(parseQuantity(amount)) % page === 0n;
}

function checkClaimNames(
  claims: NonNullable<ResourceRequirements["claims"]>,
  podClaims: readonly string[],
  path: string,
): FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap(({ name, request = "" }, index) => {
    const here = `${path}[${index}]`;
    if (name === "") return [fieldErrors.required(here)];
    const errors = seen.has(name) ? [fieldErrors.duplicate(here, name)] : takeClaim(name, request, seen, here);
    return podClaims.includes(name) ? errors : [...errors, unknownClaim(name, podClaims, here)];
  });
}

function takeClaim(name: string, request: string, seen: Set<string>, path: string): FieldError[] {
  const key = request === "" ? name : `${name}/${request}`;
  const errors = request === "" ? [] : checkLabelName(request, `${path}.request`);
  if (seen.has(key)) errors.push(fieldErrors.duplicate(path, key));
  else if (request === "" && seen.has(`${name}/`)) {
    errors.push(fieldErrors.duplicate(path, name));
  }
  seen.add(key);
  // The claim without a request name, which stands for all of its requests.
  if (request !== "") seen.add(`${name}/`);
  return errors;
}

function unknownClaim(name: string, podClaims: readonly string[], path: string): FieldError {
  const list = podClaims.length === 0 ? " which is empty" : `: ${[...new Set(podClaims)].sort().join(", ")}`;
  const error = fieldErrors.notFound(path, name);
  return { ...error, body: `${error.body}: must be one of the names in pod.spec.resourceClaims${list}` };
}

const podLevelResources = ["cpu", "hugepages-", "memory"];

/** Checks pod-level requests and limits: only some resources, and not less than the sum of the containers. */
export function checkPodResources(spec: PodSpec, path: string): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  if (spec.os?.name === "windows") return [fieldErrors.forbidden(path, "may not be set for a windows pod")];
  return [
    ...(isGiven(resources, "claims")
      ? [fieldErrors.forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level")]
      : []),
    ...checkRequirements(resources, { path, checkName: checkPodResourceName, oddHugePages: false }),
    ...checkClaimNames(resources.claims ?? [], podClaimNames(spec), `${path}.claims`),
    ...checkSums(spec, resources, path),
  ];
}

/** The names of the claims that containers can refer to. */
export function podClaimNames({ resourceClaims = [] }: PodSpec): readonly string[] {
  return resourceClaims.map(({ name }) => name).filter((name) => !isEmpty(name));
}

/** Whether a resource is supported at pod level. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePage(name);
}

function checkPodResourceName(name: string, path: string): FieldError[] {
  const errors = checkResourceName(name, path);
  if (errors.length > 0 || isPodLevelResource(name)) return errors;
  return [fieldErrors.notSupportedName(path, name, podLevelResources)];
}

function checkSums(spec: PodSpec, { requests = {}, limits = {} }: ResourceRequirements, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = [...containerTotals(spec, "requests")].map(([name, sum]) => ({
    name,
    sum,
    field: "requests",
    own: requests[name],
  }));
  const capped = [...containerTotals(spec, "limits")]
    .filter(([name]) => isHugePage(name))
    .map(([name, sum]) => ({ name, sum, field: "limits", own: limits[name] }));
  for (const { name, sum, field, own } of [...asked, ...capped]) {
    if (own === undefined || compareQuantities(sum, parseQuantity(own)) <= 0) continue;
    const why = `must be greater than or equal to aggregate container ${field} of ${formatQuantity(sum)}`;
    errors.push(fieldErrors.invalid(`${path}.${field}[${name}]`, own, why));
  }
  return [...errors, ...checkContainerLimits(spec, limits, path)];
}

function checkContainerLimits({ containers }: PodSpec, limits: ResourceList, path: string): FieldError[] {
  return (containers ?? []).flatMap(({ resources }, index) =>
    Object.entries(resources?.limits ?? {}).flatMap(([name, amount]) => {
      const limit = limits[name];
      if (limit === undefined || compareTexts(amount, limit) <= 0) return [];
      const why = `must be less than or equal to pod limits of ${limit}`;
      return [fieldErrors.invalid(`${path}.containers[${index}][${name}].limits`, amount, why)];
    }),
  );
}
