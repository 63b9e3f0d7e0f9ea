/** Describes a request in RBAC terms for error messages. */

/** The verbs of the API. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"
  | "connect";

/** An operation and its object. */
export interface Attempt {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** `patch Deployment default/web (status)`. */
export function describeAttempt(attempt: Attempt): string {
  const { verb, kind, name, namespace, subresource } = attempt;
  const place = [namespace, name].filter((part) => part !== undefined && part !== "").join("/");
  const where = name === undefined && namespace !== undefined && namespace !== "" ? `in namespace ${namespace}` : place;
  const part = subresource === undefined ? "" : `(${subresource})`;
  return [verbWords[verb], kind, where, part].filter((word) => word !== "").join(" ");
}

const verbWords: Readonly<Record<Verb, string>> = {
  get: "get",
  list: "list",
  watch: "watch",
  create: "create",
  update: "update",
  patch: "patch",
  apply: "apply",
  delete: "delete",
  deletecollection: "delete all",
  connect: "connect to",
};

/** The RBAC verbs: apply may create as well as patch; sockets are opened with GET and checked as create too. */
const rbacVerbs: Readonly<Record<Verb, readonly string[]>> = {
  get: ["get"],
  list: ["list"],
  watch: ["watch"],
  create: ["create"],
  update: ["update"],
  patch: ["patch"],
  apply: ["create", "patch"],
  delete: ["delete"],
  deletecollection: ["deletecollection"],
  connect: ["create", "get"],
};

/** The rule that permits an attempt. */
export function ruleFor(attempt: Attempt): PolicyRule {
  const { group, plural, subresource, verb } = attempt;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { apiGroups: [group], resources: [resource], verbs: rbacVerbs[verb] };
}

/** A rule as YAML, to be pasted into a Role. */
export function formatRule(rule: PolicyRule): string {
  const flow = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
  return `- apiGroups: ${flow(rule.apiGroups)}\n  resources: ${flow(rule.resources)}\n  verbs: ${flow(rule.verbs)}`;
}
