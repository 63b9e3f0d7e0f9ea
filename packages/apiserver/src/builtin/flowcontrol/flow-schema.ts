/** FlowSchema: maps requests to priority levels. */
import type {
  FlowSchema as FlowSchemaObject,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import { checkDns1123Label, fieldErrors, type FieldError } from "@capstan/model";
import { checkObjectMetadata } from "../../metadata/check.ts";
import { checkLabelName, checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { tellSchema } from "./dangling.ts";
import { checkFixedSchema } from "./fixed.ts";
import { occursBefore } from "../occurs-before.ts";

type FlowSchema = Whole<FlowSchemaObject>;

const defaultPrecedence = 1000;
const maxPrecedence = 10_000;

export const flowSchema: KindRules<FlowSchema> = defineRules<FlowSchema>({
  validatesMetadata: true,
  defaults({ spec }) {
    if ((spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = defaultPrecedence;
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
  },
  prepareForUpdate(draft, old) {
    bumpGeneration(draft, old);
    keepField(draft, old, "status");
  },
  validateCreate: checkSchema,
  validateUpdate: checkSchema,
  stored: tellSchema,
  subresources: {
    status: statusView<FlowSchema>({
      resetFields: ["metadata", "spec"],
      prepare: keepMetadata,
      validate: ({ status }) => checkTypes(status.conditions ?? []),
    }),
  },
  table: {
    // By matching precedence, not by name.
    compare: ({ spec: one }, { spec: other }) => (one.matchingPrecedence ?? 0) - (other.matchingPrecedence ?? 0),
    row: (object, now) => {
      const { metadata, spec, status } = object;
      const dangling = (status.conditions ?? []).find(({ type }) => type === "Dangling");
      return {
        cells: [
          metadata.name,
          spec.priorityLevelConfiguration.name,
          spec.matchingPrecedence ?? 0,
          spec.distinguisherMethod?.type ?? "<none>",
          ageOf(object, now),
          dangling?.status ?? "?",
        ],
      };
    },
  },
});

/** Every condition needs a unique type. */
export function checkTypes(conditions: readonly { readonly type?: string }[]): FieldError[] {
  const types = conditions.map(({ type = "" }) => type);
  return types.flatMap((type, index) => {
    const path = `status.conditions[${index}].type`;
    return [
      ...(occursBefore(types, index) ? [fieldErrors.duplicate(path, type)] : []),
      ...(type === "" ? [fieldErrors.required(path)] : []),
    ];
  });
}

function checkSchema(object: FlowSchema): FieldError[] {
  const { metadata, spec, status } = object;
  return [
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...checkPrecedence(spec.matchingPrecedence ?? 0, metadata.name),
    ...checkMethod(spec),
    ...checkLevel(spec.priorityLevelConfiguration.name),
    ...(spec.rules ?? []).flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)),
    ...checkFixedSchema(metadata.name, spec),
    ...checkTypes(status?.conditions ?? []),
  ];
}

function checkPrecedence(precedence: number, name: string): FieldError[] {
  const refuse = (why: string): FieldError => fieldErrors.invalid("spec.matchingPrecedence", precedence, why);
  const reserved = "only the schema named 'exempt' may have matchingPrecedence 1";
  return [
    ...(precedence <= 0 ? [refuse("must be a positive value")] : []),
    ...(precedence > maxPrecedence ? [refuse(`must not be greater than ${maxPrecedence}`)] : []),
    ...(precedence === 1 && name !== "exempt" ? [refuse(reserved)] : []),
  ];
}

function checkMethod({ distinguisherMethod }: FlowSchemaSpec): FieldError[] {
  const known = ["ByNamespace", "ByUser"];
  if (distinguisherMethod === undefined || known.includes(distinguisherMethod.type)) return [];
  const shown = { Type: distinguisherMethod.type };
  return [fieldErrors.notSupported("spec.distinguisherMethod.type", shown, known)];
}

function checkLevel(name: string): FieldError[] {
  const path = "spec.priorityLevelConfiguration.name";
  return isEmpty(name) ? [fieldErrors.required(path, "must reference a priority level")] : checkSubdomain(name, path);
}

function checkRule(rule: PolicyRulesWithSubjects, path: string): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  const nothing = "at least one of resourceRules and nonResourceRules has to be non-empty";
  return [
    ...subjects.flatMap((subject, index) => checkSubject(subject, `${path}.subjects[${index}]`)),
    ...(subjects.length === 0
      ? [fieldErrors.required(`${path}.subjects`, "subjects must contain at least one value")]
      : []),
    ...(resourceRules.length + nonResourceRules.length === 0 ? [fieldErrors.required(path, nothing)] : []),
    ...resourceRules.flatMap((one, index) => checkResourceRule(one, `${path}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((one, index) => checkPathRule(one, `${path}.nonResourceRules[${index}]`)),
  ];
}

const subjectFields: Readonly<Record<string, "group" | "serviceAccount" | "user">> = {
  Group: "group",
  ServiceAccount: "serviceAccount",
  User: "user",
};
/** In the order in which kube-apiserver rejects the other fields. */
const otherFields = ["ServiceAccount", "User", "Group"];

function checkSubject(subject: Subject, path: string): FieldError[] {
  const field = Object.hasOwn(subjectFields, subject.kind) ? subjectFields[subject.kind] : undefined;
  if (field === undefined) {
    return [fieldErrors.notSupportedName(`${path}.kind`, subject.kind, ["Group", "ServiceAccount", "User"])];
  }
  const others = otherFields
    .map((kind) => [kind, subjectFields[kind] ?? "user"] as const)
    .filter(([, other]) => other !== field && subject[other] !== undefined);
  return [
    ...checkNamed(subject, field, path),
    ...others.map(([kind, other]) =>
      fieldErrors.forbidden(`${path}.${other}`, `${other} is forbidden when subject kind is not '${kind}'`),
    ),
  ];
}

function checkNamed(subject: Subject, field: "group" | "serviceAccount" | "user", path: string): FieldError[] {
  const at = `${path}.${field}`;
  const named = subject[field];
  if (named === undefined) {
    return [fieldErrors.required(at, `${field} is required when subject kind is '${subject.kind}'`)];
  }
  const nameless = isEmpty(named.name) ? [fieldErrors.required(`${at}.name`)] : [];
  return "namespace" in named ? checkAccount(named, at) : nameless;
}

function checkAccount(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  path: string,
): FieldError[] {
  return [
    ...(isEmpty(name) ? [fieldErrors.required(`${path}.name`)] : []),
    ...(isEmpty(name) || name === "*" ? [] : checkSubdomain(name, `${path}.name`)),
    ...(isEmpty(namespace)
      ? [fieldErrors.required(`${path}.namespace`, "must specify namespace for service account")]
      : checkLabelName(namespace, `${path}.namespace`)),
  ];
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function checkVerbs(given: readonly string[], path: string): FieldError[] {
  if (given.length === 0) return [fieldErrors.required(path, "verbs must contain at least one value")];
  if (given.includes("*")) return checkAlone(given, path, "verbs");
  return given.every((verb) => verbs.includes(verb)) ? [] : [fieldErrors.notSupported(path, given, verbs)];
}

function checkAlone(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length < 2 || !values.includes("*")) return [];
  return [fieldErrors.invalid(path, values, `if '*' is present, must not specify other ${what}`)];
}

function checkResourceRule(rule: ResourcePolicyRule, path: string): FieldError[] {
  const [groups, resources] = [rule.apiGroups ?? [], rule.resources ?? []];
  return [
    ...checkVerbs(rule.verbs ?? [], `${path}.verbs`),
    ...(groups.length === 0
      ? [fieldErrors.required(`${path}.apiGroups`, "resource rules must supply at least one api group")]
      : checkAlone(groups, `${path}.apiGroups`, "api groups")),
    ...(resources.length === 0
      ? [fieldErrors.required(`${path}.resources`, "resource rules must supply at least one resource")]
      : checkAlone(resources, `${path}.resources`, "resources")),
    ...checkNamespaces(rule, `${path}.namespaces`),
  ];
}

function checkNamespaces({ namespaces: given, clusterScope = false }: ResourcePolicyRule, path: string): FieldError[] {
  const namespaces = given ?? [];
  if (namespaces.length === 0 && !clusterScope) {
    const why = "resource rules that are not cluster scoped must supply at least one namespace";
    return [fieldErrors.required(path, why)];
  }
  if (namespaces.includes("*")) return checkAlone(namespaces, path, "namespaces");
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((name, index) =>
    invalidEach(
      `${path}[${index}]`,
      name,
      checkDns1123Label(name).map((why) => `${intro}${why}`),
    ),
  );
}

function checkPathRule({ verbs: given, nonResourceURLs }: NonResourcePolicyRule, path: string): FieldError[] {
  const urls = nonResourceURLs ?? [];
  const at = `${path}.nonResourceURLs`;
  return [
    ...checkVerbs(given ?? [], `${path}.verbs`),
    ...(urls.length === 0 ? [fieldErrors.required(at, "nonResourceURLs must contain at least one value")] : []),
    ...(urls.includes("*")
      ? checkAlone(urls, at, "non-resource URLs")
      : urls.flatMap((url, index) => checkUrl(url, `${at}[${index}]`))),
  ];
}

function checkUrl(url: string, path: string): FieldError[] {
  const problem = urlProblem(url);
  return problem === undefined ? [] : [fieldErrors.invalid(path, url, problem)];
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  const isSuffix = wildcards === 0 || (wildcards === 1 && url.endsWith("/*"));
  return isSuffix ? undefined : "wildcard can only do suffix matching";
}
