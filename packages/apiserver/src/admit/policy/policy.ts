/** Types of policies and bindings. */
import type { KubeObject, LabelSelectorObject } from "@capstan/model";
import type { Lookup } from "../../builtin/context.ts";
import type { MatchCondition } from "../expression/match-conditions.ts";
import type { MatchResources } from "../match/resources.ts";

/** The fields that both kinds of policies share. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

export interface ValidatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly validations?: readonly Validation[];
    readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
}

/** One validation: its expression and message. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface MutatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly mutations?: readonly Mutation[];
    readonly reinvocationPolicy?: string;
  };
}

/** One mutation. */
export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** Activates a policy, optionally with parameters. */
export interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** Selects the parameter objects. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorObject;
  readonly parameterNotFoundAction?: string;
}

export interface BoundPolicy<Policy> {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
}

/** All policies with a binding, by name. */
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
