/** Policies and their bindings, as they are stated. */
import type { KubeObject, LabelSelectorObject } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { MatchCondition } from "../expression/match-conditions.ts";
import type { MatchResources } from "../match/resources.ts";

/** What both kinds of policies state. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** A policy that validates. */
export interface ValidatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly validations?: readonly Validation[];
    readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
}

/** What must be true, and what is said when it is not. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** A policy that changes. */
export interface MutatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly mutations?: readonly Mutation[];
    readonly reinvocationPolicy?: string;
  };
}

/** One change. */
export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** Puts a policy into force, with parameters. */
export interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** Which objects are the parameters. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorObject;
  readonly parameterNotFoundAction?: string;
}

/** A policy and its bindings. */
export interface BoundPolicy<Policy> {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
}

/** All policies that are bound, by name. */
export function boundPolicies<Policy extends KubeObject>(
  kind: "validating" | "mutating",
  lookup: Lookup,
): BoundPolicy<Policy>[] {
  const policies = lookup.list(`${kind}admissionpolicies.admissionregistration.k8s.io`) as readonly Policy[];
  if (policies.length === 0) return [];
  const all = lookup.list(`${kind}admissionpolicybindings.admissionregistration.k8s.io`) as readonly Binding[];
  const byPolicy = Map.groupBy(all, ({ spec }) => spec.policyName);
  return policies.flatMap((policy) => {
    const bindings = byPolicy.get(policy.metadata.name ?? "");
    return bindings === undefined ? [] : { policy, bindings };
  });
}
