/** LimitRanger: applies default resources of the namespace to pods, and limits pods and claims. */
import type { Container, LimitRange, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { formatQuantity, parseQuantity, quantityToInteger, type KubeObject, type Quantity } from "@capstan/model";
import type { Draft } from "../builtin/draft.ts";
import type { ResourceList } from "@capstan/model";
import { aggregateText } from "../go-aggregate.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { podTotals } from "@capstan/model";
import { objectOf, refusal } from "./target.ts";

export const limitRanger: AdmissionStep = {
  name: "LimitRanger",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  mutate(request, context) {
    if (request.kind.kind !== "Pod") return;
    for (const range of rangesFor(request, context)) setDefaults(objectOf<Pod>(request), range);
  },
  validate(request, context) {
    for (const range of rangesFor(request, context)) {
      const problems = problemsOf(request.object as KubeObject, range);
      if (problems.length > 0) throw refusal(request, aggregateText(problems));
    }
  },
};

function rangesFor(request: AdmissionRequest, { lookup }: AdmissionContext): readonly LimitRange[] {
  if (!isLimited(request) || request.oldObject?.metadata.deletionTimestamp !== undefined) return [];
  return lookup.list("limitranges", request.namespace) as readonly LimitRange[];
}

/** The resources of a pod change only through `resize`. */
function isLimited({ kind, subresource, operation }: AdmissionRequest): boolean {
  if (kind.group !== "") return false;
  if (kind.kind === "PersistentVolumeClaim") return subresource === "";
  if (kind.kind !== "Pod") return false;
  return operation === "UPDATE" ? subresource === "resize" : subresource === "";
}

const annotation = "kubernetes.io/limit-ranger";

function setDefaults(pod: Draft<Pod>, range: LimitRange): void {
  const requests: { [name: string]: string } = {};
  const limits: { [name: string]: string } = {};
  for (const limit of range.spec?.limits ?? []) {
    if (limit.type !== "Container") continue;
    Object.assign(requests, limit.defaultRequest);
    Object.assign(limits, limit.default);
  }
  const told = [
    ...(pod.spec?.containers ?? []).flatMap((each) => fill(each, "container", { requests, limits })),
    ...(pod.spec?.initContainers ?? []).flatMap((each) => fill(each, "init container", { requests, limits })),
  ];
  if (told.length === 0) return;
  (pod.metadata.annotations ??= {})[annotation] = `LimitRanger plugin set: ${told.join("; ")}`;
}

interface Defaults {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function fill(container: Draft<Container>, what: string, defaults: Defaults): string[] {
  const told: string[] = [];
  for (const half of ["requests", "limits"] as const) {
    const present = container.resources?.[half] ?? {};
    const missing = Object.keys(defaults[half]).filter((name) => !Object.hasOwn(present, name));
    if (missing.length === 0) continue;
    const added = Object.fromEntries(missing.map((name) => [name, defaults[half][name] ?? ""]));
    (container.resources ??= {})[half] = { ...present, ...added };
    told.push(`${missing.sort().join(", ")} ${half.slice(0, -1)} for ${what} ${container.name}`);
  }
  return told;
}

function problemsOf(object: KubeObject, range: LimitRange): string[] {
  return (range.spec?.limits ?? []).flatMap((limit) => {
    if (object.kind === "PersistentVolumeClaim") {
      return limit.type === "PersistentVolumeClaim" ? claimProblems(object as PersistentVolumeClaim, limit) : [];
    }
    return podProblems(object as Pod, limit);
  });
}

type Limit = NonNullable<LimitRange["spec"]>["limits"][number];
type Amounts = ReadonlyMap<string, Quantity>;

function podProblems(pod: Pod, limit: Limit): string[] {
  if (limit.type === "Pod") {
    return constraintProblems(limit, podTotals(pod.spec ?? {}, "requests"), podTotals(pod.spec ?? {}, "limits"));
  }
  if (limit.type !== "Container") return [];
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  return [...containers, ...initContainers].flatMap(({ resources }) =>
    constraintProblems(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
  );
}

function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function claimProblems({ spec }: PersistentVolumeClaim, limit: Limit): string[] {
  const requests = amountsOf(spec?.resources?.requests);
  return [
    ...each(limit.min, (name, least) => minProblem({ name, type: limit.type, enforced: least, requests })),
    ...each(limit.max, (name, most) => maxRequestProblem({ name, type: limit.type, enforced: most, requests })),
  ];
}

function constraintProblems(
  { type, min, max, maxLimitRequestRatio }: Limit,
  requests: Amounts,
  limits: Amounts,
): string[] {
  const base = { type, requests, limits };
  return [
    ...each(min, (name, enforced) => minProblem({ ...base, name, enforced })),
    ...each(max, (name, enforced) => maxProblem({ ...base, name, enforced })),
    ...each(maxLimitRequestRatio, (name, enforced) => ratioProblem({ ...base, name, enforced })),
  ];
}

function each(
  list: ResourceList | undefined,
  check: (name: string, enforced: Quantity) => string | undefined,
): string[] {
  return Object.entries(list ?? {}).flatMap(([name, text]) => check(name, parseQuantity(text)) ?? []);
}

interface Constraint {
  readonly name: string;
  readonly type: string;
  readonly enforced: Quantity;
  readonly requests: Amounts;
  readonly limits?: Amounts;
}

interface Observed {
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
  readonly requestValue: bigint;
  readonly limitValue: bigint;
  readonly enforcedValue: bigint;
}

const nothing = parseQuantity("0");
const maxMilliValue = (2n ** 63n - 1n) / 1000n;

/** Values in comparable units: milli units, unless one of them is too large. */
function observe({ name, enforced, requests, limits }: Constraint): Observed {
  const request = requests.get(name);
  const limit = limits?.get(name);
  const all = [request ?? nothing, limit ?? nothing, enforced];
  const scale = all.every((one) => quantityToInteger(one) <= maxMilliValue) ? -3 : 0;
  const [requestValue = 0n, limitValue = 0n, enforcedValue = 0n] = all.map((one) => quantityToInteger(one, scale));
  return { request, limit, requestValue, limitValue, enforcedValue };
}

function minProblem(constraint: Constraint): string | undefined {
  const { request, limit, requestValue, limitValue, enforcedValue } = observe(constraint);
  const text = `minimum ${constraint.name} usage per ${constraint.type} is ${formatQuantity(constraint.enforced)}`;
  if (request === undefined) return `${text}.  No request is specified`;
  if (requestValue < enforcedValue) return `${text}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && limitValue < enforcedValue) return `${text}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function maxProblem(constraint: Constraint): string | undefined {
  const { request, limit, requestValue, limitValue, enforcedValue } = observe(constraint);
  const text = `maximum ${constraint.name} usage per ${constraint.type} is ${formatQuantity(constraint.enforced)}`;
  if (limit === undefined) return `${text}.  No limit is specified`;
  if (limitValue > enforcedValue) return `${text}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && requestValue > enforcedValue)
    return `${text}, but request is ${formatQuantity(request)}`;
  return undefined;
}

/** Claims have no limits, only requests. */
function maxRequestProblem(constraint: Constraint): string | undefined {
  const { request, requestValue, enforcedValue } = observe(constraint);
  const text = `maximum ${constraint.name} usage per ${constraint.type} is ${formatQuantity(constraint.enforced)}`;
  if (request === undefined) return `${text}.  No request is specified`;
  if (requestValue > enforcedValue) return `${text}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function ratioProblem(constraint: Constraint): string | undefined {
  const { requestValue, limitValue } = observe(constraint);
  const text = `${constraint.name} max limit to request ratio per ${constraint.type} is ${formatQuantity(constraint.enforced)}`;
  if (requestValue === 0n) return `${text}, but no request is specified or request is 0`;
  if (limitValue === 0n) return `${text}, but no limit is specified or limit is 0`;
  const ratio = Number(limitValue) / Number(requestValue);
  const isPrecise = quantityToInteger(constraint.enforced) <= maxMilliValue;
  const most = Number(quantityToInteger(constraint.enforced, isPrecise ? -3 : 0));
  return ratio * (isPrecise ? 1000 : 1) > most ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
