/** Quota usage of an object: pods, claims and services have special rules, all other objects are counted. */
import type { PersistentVolumeClaim, Service } from "@capstan/kinds/v1";
import { parseQuantity, quantityToInteger, toQuantity, type KubeObject } from "@capstan/model";
import type { AdmissionRequest } from "../admission.ts";
import type { Amounts } from "./amounts.ts";
import { podEvaluator } from "./pods.ts";
import { scopeMatches, type ScopeSelector } from "./scopes.ts";

/** The quota rules of one resource. */
export interface Evaluator {
  /** Whether a request can change the usage. */
  handles(request: AdmissionRequest): boolean;
  /** Which of these resource names apply to this resource. */
  matching(names: readonly string[]): readonly string[];
  inScope(object: KubeObject, scope: ScopeSelector): boolean;
  /** What the object must set to be measured. */
  problem(object: KubeObject, names: readonly string[]): string | undefined;
  usage(object: KubeObject, now: number): Amounts;
}

/** Not stored, or never counted. */
const ignored: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

/** Legacy names of object counts. */
const aliases: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** The evaluator of a resource; `undefined` for those that are never counted. */
export function evaluatorFor(group: string, resource: string): Evaluator | undefined {
  const name = group === "" ? resource : `${resource}.${group}`;
  if (ignored.has(name)) return undefined;
  return own[name] ?? counting(name);
}

const one = toQuantity(1);

function counting(name: string): Evaluator {
  const names = [`count/${name}`, ...(aliases.has(name) ? [name] : [])];
  return {
    handles: ({ operation, subresource }) => operation === "CREATE" && subresource === "",
    matching: (asked) => asked.filter((each) => names.includes(each)),
    inScope: () => false,
    problem: () => undefined,
    usage: () => new Map(names.map((each) => [each, one])),
  };
}

const serviceNames: ReadonlySet<string> = new Set([
  "count/services",
  "services",
  "services.nodeports",
  "services.loadbalancers",
]);

const serviceEvaluator: Evaluator = {
  ...counting("services"),
  handles: ({ subresource }) => subresource === "",
  matching: (asked) => asked.filter((each) => serviceNames.has(each)),
  usage(object) {
    const { spec } = object as Service;
    const isBalanced = spec?.type === "LoadBalancer";
    return new Map([
      ["count/services", one],
      ["services", one],
      ["services.loadbalancers", toQuantity(isBalanced ? 1 : 0)],
      ["services.nodeports", toQuantity(nodePorts(spec))],
    ]);
  },
};

/** Node ports are not allocated yet, so the expected number is used. */
function nodePorts(spec: Service["spec"]): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === "NodePort") return ports.length;
  if (spec?.type !== "LoadBalancer") return 0;
  return spec.allocateLoadBalancerNodePorts === false
    ? ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length
    : ports.length;
}

const claimNames = ["persistentvolumeclaims", "requests.storage"];
const classSuffix = ".storageclass.storage.k8s.io/";

const claimEvaluator: Evaluator = {
  handles: ({ subresource }) => subresource === "" || subresource === "status",
  matching: (asked) =>
    asked.filter(
      (each) =>
        each === "count/persistentvolumeclaims" ||
        claimNames.includes(each) ||
        claimNames.some((name) => each.endsWith(classSuffix + name)),
    ),
  inScope: (object, scope) =>
    scope.scopeName === "VolumeAttributesClass" && scopeMatches(scope, attributeClasses(object)),
  problem: () => undefined,
  usage(object) {
    const { metadata, spec } = object as PersistentVolumeClaim;
    const className = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
    const amounts = new Map([
      ["persistentvolumeclaims", one],
      ["count/persistentvolumeclaims", one],
    ]);
    const storage = storageOf(object as PersistentVolumeClaim);
    if (storage !== undefined) amounts.set("requests.storage", storage);
    if (className === "") return amounts;
    amounts.set(`${className}${classSuffix}persistentvolumeclaims`, one);
    if (storage !== undefined) amounts.set(`${className}${classSuffix}requests.storage`, storage);
    return amounts;
  },
};

/** In bytes; the allocated amount if it is larger than the request. */
function storageOf({ spec, status }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> | undefined {
  const asked = spec?.resources?.requests?.["storage"];
  if (asked === undefined) return undefined;
  const whole = (text: string): ReturnType<typeof parseQuantity> => {
    const amount = parseQuantity(text);
    return amount.exponent < 0 ? toQuantity(quantityToInteger(amount), amount.format) : amount;
  };
  const allocated = status?.allocatedResources?.["storage"];
  const [wanted, given] = [whole(asked), allocated === undefined ? undefined : whole(allocated)];
  return given !== undefined && quantityToInteger(given) > quantityToInteger(wanted) ? given : wanted;
}

function attributeClasses(object: KubeObject): readonly string[] {
  const { spec, status } = object as PersistentVolumeClaim;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => name !== undefined && name !== ""))];
}

const own: Readonly<Record<string, Evaluator>> = {
  pods: podEvaluator,
  services: serviceEvaluator,
  persistentvolumeclaims: claimEvaluator,
};
