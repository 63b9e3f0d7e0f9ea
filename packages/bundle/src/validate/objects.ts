/** Limits on objects that could hurt a whole cluster: disruption budgets, priority classes, rights over both. */
import { type Json, toGoJson } from "@capstan/model";
import { builtIn } from "../decode/built-in.ts";
import { decode } from "../decode/decode.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import type { Bundle } from "../read/bundle.ts";
import { textAt } from "../read/object.ts";
import { type Finding, finding } from "./finding.ts";

const defaultConstraints = new Set([
  "privileged",
  "restricted",
  "anyuid",
  "hostaccess",
  "hostmount-anyuid",
  "hostnetwork",
  "node-exporter",
  "nonroot",
]);

/** The findings about other objects of a bundle. */
export function validateObjects({ objects }: Pick<Bundle, "objects">): Finding[] {
  return objects.flatMap(({ value }) => {
    const rules = rulesByKind[textAt(value, "kind")];
    if (rules === undefined) return [];
    const { value: decoded, problem } = decode(value, builtIn(rules.definition), "json");
    if (problem !== undefined || !isObject(decoded))
      return [finding("Error", "ParseError", `error unmarshaling ${rules.word}`, { value: oldName(problem ?? "") })];
    return rules.check(decoded);
  });
}

interface KindRules {
  readonly definition: string;
  readonly word: string;
  readonly check: (value: JsonObject) => Finding[];
}

const rulesByKind: { readonly [kind: string]: KindRules } = {
  PodDisruptionBudget: {
    definition: "io.k8s.api.policy.v1.PodDisruptionBudget",
    word: "poddisruptionbudget",
    check: budgetFindings,
  },
  PriorityClass: {
    definition: "io.k8s.api.scheduling.v1.PriorityClass",
    word: "priorityclass",
    check: priorityFindings,
  },
  Role: { definition: "io.k8s.api.rbac.v1.Role", word: "role", check: ruleFindings },
  ClusterRole: { definition: "io.k8s.api.rbac.v1.ClusterRole", word: "clusterrole", check: ruleFindings },
};

/** Other tools still read budgets as v1beta1. */
function oldName(problem: string): string {
  return problem.replace(" v1.PodDisruptionBudget", " v1beta1.PodDisruptionBudget");
}

function refusal(value: JsonObject, detail: string): Finding {
  return finding("Error", "ObjectFailedValidation", detail, { value: nameOf(value) });
}

/** A whole object makes no readable sentence: its name does. */
function nameOf(value: JsonObject): string {
  return textAt(value, "metadata", "name");
}

function budgetFindings(value: JsonObject): Finding[] {
  const spec = isObject(value["spec"]) ? value["spec"] : {};
  const { maxUnavailable, minAvailable } = spec;
  // Go reads the number of a string value as zero.
  const isNone = maxUnavailable === 0 || typeof maxUnavailable === "string";
  return [
    ...(isNone ? [refusal(value, "maxUnavailable field cannot be set to 0 or 0%")] : []),
    ...(minAvailable === "100%" ? [refusal(value, "minAvailable field cannot be set to 100%")] : []),
  ];
}

function priorityFindings(value: JsonObject): Finding[] {
  return value["globalDefault"] === true ? [refusal(value, "globalDefault field cannot be set to true")] : [];
}

function ruleFindings(value: JsonObject): Finding[] {
  const rules = Array.isArray(value["rules"]) ? (value["rules"] as readonly Json[]).filter(isObject) : [];
  const budgets =
    "RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability";
  const constraints =
    "RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability";
  return [
    ...rules
      .filter((rule) =>
        allows(rule, { group: "policy", resource: "poddisruptionbudgets", verbs: ["create", "update", "patch"] }),
      )
      .map((rule) => finding("Warning", "ValidationFailed", budgets, { value: toGoJson(rule) })),
    ...rules
      .filter((rule) =>
        allows(rule, {
          group: "security.openshift.io",
          resource: "securitycontextconstraints",
          verbs: ["delete", "update", "patch"],
        }),
      )
      .filter((rule) => texts(rule["resourceNames"]).some((name) => defaultConstraints.has(name)))
      .map((rule) => finding("Error", "ObjectFailedValidation", constraints, { value: toGoJson(rule) })),
  ];
}

interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

function allows(rule: JsonObject, { group, resource, verbs }: Right): boolean {
  const given = texts(rule["verbs"]);
  return (
    texts(rule["apiGroups"]).includes(group) &&
    texts(rule["resources"]).includes(resource) &&
    ["*", ...verbs].some((verb) => given.includes(verb))
  );
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : [];
}
