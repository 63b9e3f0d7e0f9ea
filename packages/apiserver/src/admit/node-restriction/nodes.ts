/** What a kubelet may change of its own Node: neither taints nor owners nor labels that steer pods. */
import type { Node } from "@capstan/kinds/v1";
import { isDeepEqual, quote } from "@capstan/model";
import { objectOf, oldObjectOf, refusal } from "../target.ts";
import type { NodeWrite } from "./node-restriction.ts";

type Labels = { readonly [key: string]: string };

export function checkNode({ request, node }: NodeWrite): void {
  const { operation, name, object } = request;
  const asked = name === "" ? (object?.metadata?.name ?? "") : name;
  if (asked !== node) throw refusal(request, `node ${quote(node)} is not allowed to modify node ${quote(asked)}`);
  const why =
    operation === "CREATE"
      ? createProblem(node, objectOf<Node>(request) as Node)
      : operation === "UPDATE"
        ? updateProblem(node, objectOf<Node>(request) as Node, oldObjectOf<Node>(request))
        : undefined;
  if (why !== undefined) throw refusal(request, why);
}

function createProblem(node: string, { metadata, spec }: Node): string | undefined {
  if (isSet(spec?.configSource)) {
    return `node ${quote(node)} is not allowed to create pods with a non-nil configSource`;
  }
  const labels = forbiddenLabels(metadata?.labels ?? {}, {});
  if (labels.length === 0) return undefined;
  return `node ${quote(node)} is not allowed to set the following labels: ${labels.join(", ")}`;
}

function updateProblem(node: string, now: Node, old: Node): string | undefined {
  const source = now.spec?.configSource;
  if (isSet(source) && !isDeepEqual(source, old.spec?.configSource)) {
    return `node ${quote(node)} is not allowed to update configSource to a new non-nil configSource`;
  }
  for (const [field, valueOf] of fixedFields) {
    if (!isDeepEqual(valueOf(now) ?? [], valueOf(old) ?? [])) {
      return `node ${quote(node)} is not allowed to modify ${field}`;
    }
  }
  const labels = forbiddenLabels(now.metadata?.labels ?? {}, old.metadata?.labels ?? {});
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(", ")}`;
}

const fixedFields: readonly (readonly [field: string, valueOf: (node: Node) => unknown])[] = [
  ["taints", ({ spec }) => spec?.taints],
  ["ownerReferences", ({ metadata }) => metadata?.ownerReferences],
];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The changed labels of Kubernetes' own domains that kubelets may not set, in order. */
function forbiddenLabels(now: Labels, old: Labels): readonly string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(old)]);
  return [...keys].filter((key) => now[key] !== old[key] && isForbidden(key)).toSorted();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf("/");
  const domain = slash < 0 ? "" : label.slice(0, slash);
  const isIn = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (isIn("node-restriction.kubernetes.io")) return true;
  if (!isIn("kubernetes.io") && !isIn("k8s.io")) return false;
  return !kubeletLabels.has(label) && !isIn("kubelet.kubernetes.io") && !isIn("node.kubernetes.io");
}

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
