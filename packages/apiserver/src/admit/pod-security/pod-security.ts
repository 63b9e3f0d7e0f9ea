/** PodSecurity: rejects pods that violate the enforced level of their namespace; warns about pods and templates. */
import type { CronJob } from "@capstan/kinds/batch/v1";
import type { Namespace, Pod, PodTemplate, PodTemplateSpec } from "@capstan/kinds/v1";
import { apiErrors, isDeepEqual, type KubeObject } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import { aggregateText } from "../../go-aggregate.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { isFor, objectOf, oldObjectOf } from "../target.ts";
import { describeViolations, toChecked, violationsOf } from "./evaluate.ts";
import type { Checked } from "./check.ts";
import { compareLevels, describeLevel, isSameLevel, policyOf, type LevelVersion } from "./policy.ts";

export const podSecurity: AdmissionStep = {
  name: "PodSecurity",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(request, { lookup }: AdmissionContext) {
    const { group, resource } = request.resource;
    if (isFor(request, "namespaces")) validateNamespace(request, lookup);
    else if (group === "" && resource === "pods") validatePod(request, lookup);
    else if (templated.has(`${resource}.${group}`) && request.subresource === "") validateTemplate(request, lookup);
  },
};

const templated: ReadonlySet<string> = new Set([
  "replicationcontrollers.",
  "podtemplates.",
  "replicasets.apps",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
]);

const annotationPrefix = "pod-security.kubernetes.io/";

function validateNamespace(request: AdmissionRequest, lookup: Lookup): void {
  const { metadata } = objectOf<Namespace>(request);
  const { policy, errors } = policyOf(metadata.labels);
  const before = request.oldObject === undefined ? undefined : policyOf(request.oldObject.metadata.labels);
  if (errors.length > 0 && !isDeepEqual(errors, before?.errors ?? [])) {
    throw apiErrors.invalid(request.kind, request.name, errors);
  }
  if (before === undefined || isSameLevel(policy.enforce, before.policy.enforce)) return;
  if (policy.enforce.level === "privileged") return;
  const isWeaker =
    policy.enforce.minor === before.policy.enforce.minor &&
    compareLevels(policy.enforce.level, before.policy.enforce.level) <= 0;
  if (isWeaker) return;
  for (const warning of existingViolations(metadata.name ?? "", policy.enforce, lookup)) request.warn(warning);
}

const mostPods = 3000;

/** Existing pods that the new level would reject; pods with the same violations are reported together. */
function existingViolations(namespace: string, enforce: LevelVersion, lookup: Lookup): string[] {
  const pods = lookup.list("pods", namespace) as readonly Pod[];
  const names = new Map<string, string[]>();
  for (const pod of pods.slice(0, mostPods)) {
    if (pod.spec === undefined) continue;
    const violations = violationsOf(enforce, toChecked(pod.metadata.annotations ?? {}, pod.spec));
    if (violations.length === 0) continue;
    const text = violations.map(({ reason }) => reason).join(", ");
    names.set(text, [...(names.get(text) ?? []), pod.metadata.name ?? ""]);
  }
  if (names.size === 0) return [];
  const head = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${describeLevel(enforce)}"`;
  return [head, ...[...names].map(([text, found]) => `${tellPods(found)}: ${text}`).sort()];
}

function tellPods(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}

const ignoredSubresources: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

function validatePod(request: AdmissionRequest, lookup: Lookup): void {
  if (ignoredSubresources.has(request.subresource)) return;
  const pod = objectOf<Pod>(request) as Pod;
  if (request.operation === "UPDATE" && !changesContainers(pod, oldObjectOf<Pod>(request))) return;
  if (pod.spec === undefined) return;
  evaluate(request, lookup, { pod: toChecked(pod.metadata.annotations ?? {}, pod.spec), enforces: true });
}

/** Only changes of images and of the list of containers need a new evaluation. */
function changesContainers({ spec }: Pod, { spec: old }: Pod): boolean {
  const images = (one: Pod["spec"], list: "containers" | "initContainers"): readonly string[] =>
    (one?.[list] ?? []).map(({ image = "" }) => image);
  const isOther = (["containers", "initContainers"] as const).some(
    (list) => !isDeepEqual(images(spec, list), images(old, list)),
  );
  if (isOther) return true;
  const before = new Map((old?.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (spec?.ephemeralContainers ?? []).some(({ name, image }) => !before.has(name) || before.get(name) !== image);
}

function validateTemplate(request: AdmissionRequest, lookup: Lookup): void {
  const template = templateOf(request.object as KubeObject);
  if (template?.spec === undefined) return;
  const pod = toChecked(template.metadata?.annotations ?? {}, template.spec);
  evaluate(request, lookup, { pod, enforces: false });
}

function templateOf(object: KubeObject): PodTemplateSpec | undefined {
  switch (object.kind) {
    case "PodTemplate":
      return (object as PodTemplate).template;
    case "CronJob":
      return (object as CronJob).spec?.jobTemplate.spec?.template;
    default:
      return (object as { readonly spec?: { readonly template?: PodTemplateSpec } }).spec?.template;
  }
}

interface Evaluation {
  readonly pod: Checked;
  readonly enforces: boolean;
}

function evaluate(request: AdmissionRequest, lookup: Lookup, { pod, enforces }: Evaluation): void {
  const namespace = lookup.get("namespaces", request.namespace);
  if (namespace === undefined) {
    if (enforces) throw apiErrors.internalError(`failed to lookup namespace "${request.namespace}"`);
    return;
  }
  const { policy, errors } = policyOf(namespace.metadata.labels);
  if (errors.length > 0) {
    const problems = errors.map(({ field, body }) => `${field}: ${body}`);
    request.annotate(`${annotationPrefix}error`, `Failed to parse policy: ${aggregateText(problems)}`);
  }
  const would = (level: LevelVersion): string | undefined => {
    const violations = violationsOf(level, pod);
    if (violations.length === 0) return undefined;
    return `violate PodSecurity "${describeLevel(level)}": ${describeViolations(violations)}`;
  };
  if (enforces) request.annotate(`${annotationPrefix}enforce-policy`, describeLevel(policy.enforce));
  const audited = would(policy.audit);
  if (audited !== undefined) request.annotate(`${annotationPrefix}audit-violations`, `would ${audited}`);
  const refused = enforces ? would(policy.enforce) : undefined;
  if (refused !== undefined)
    throw apiErrors.forbidden(request.resource, request.name, refused.replace("violate", "violates"));
  const warned = would(policy.warn);
  if (warned !== undefined) request.warn(`would ${warned}`);
}
