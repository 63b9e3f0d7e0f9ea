/** Which policies are evaluated for a request: each matching policy, once for each matching binding and parameter. */
import { StatusError, type KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, ServedKind } from "../admission.ts";
import { matchResources } from "../match/resources.ts";
import { collectParams, ConfigurationError, paramPlace } from "./params.ts";
import type { Binding, BoundPolicy, PolicySpec } from "./policy.ts";

/** One evaluation of a policy. */
export interface Invocation<Policy> {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly form: ServedKind;
  readonly params: KubeObject | undefined;
}

/** A policy, or a policy with a binding, with invalid configuration. */
export interface Misconfigured<Policy> {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
}

/** The evaluations to run, and the misconfigured policies. */
export interface Invocations<Policy> {
  readonly invocations: Invocation<Policy>[];
  readonly misconfigured: Misconfigured<Policy>[];
}

type AnyPolicy = KubeObject & { readonly spec: PolicySpec };

export function invocationsFor<Policy extends AnyPolicy>(
  request: AdmissionRequest,
  bound: readonly BoundPolicy<Policy>[],
  context: AdmissionContext,
): Invocations<Policy> {
  const found: Invocations<Policy> = { invocations: [], misconfigured: [] };
  for (const { policy, bindings } of bound) {
    const form = attempt(found, { policy, binding: undefined }, () => {
      const matched = matchResources(request, policy.spec.matchConstraints ?? {}, context.lookup);
      if (matched !== undefined) paramPlace(policy.spec, context);
      return matched;
    });
    if (form === undefined) continue;
    for (const binding of bindings) {
      const all = attempt(found, { policy, binding }, () => paramsFor(request, policy, { binding, context }));
      for (const params of all ?? []) found.invocations.push({ policy, binding, form, params });
    }
  }
  return found;
}

function paramsFor(
  request: AdmissionRequest,
  policy: AnyPolicy,
  { binding, context }: { readonly binding: Binding; readonly context: AdmissionContext },
): readonly (KubeObject | undefined)[] {
  const { matchResources: wanted, paramRef } = binding.spec;
  if (wanted !== undefined && matchResources(request, wanted, context.lookup) === undefined) return [];
  return collectParams(paramPlace(policy.spec, context), paramRef, { namespace: request.namespace, context });
}

function attempt<Policy, Result>(
  { misconfigured }: Invocations<Policy>,
  where: { readonly policy: Policy; readonly binding: Binding | undefined },
  run: () => Result,
): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ConfigurationError) && !(error instanceof StatusError)) throw error;
    const what = where.binding === undefined ? "policy" : "binding";
    misconfigured.push({ ...where, message: `failed to configure ${what}: ${error.message}` });
    return undefined;
  }
}
