/** ResourceQuota: rejects requests that exceed a quota of the namespace, and charges the others immediately. */
import type { ResourceQuota } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { refusal } from "../target.ts";
import {
  describeAmounts,
  exceeding,
  excess,
  mask,
  negativeNames,
  nonZero,
  plus,
  readAmounts,
  sameAmounts,
  writeAmounts,
  type Amounts,
} from "./amounts.ts";
import { evaluatorFor, type Evaluator } from "./evaluator.ts";
import { scopesOf } from "./scopes.ts";

export const resourceQuota: AdmissionStep = {
  name: "ResourceQuota",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate,
};

function validate(request: AdmissionRequest, context: AdmissionContext): void {
  const { namespace, operation, kind, resource } = request;
  if (namespace === "" || (operation === "CREATE" && kind.kind === "Namespace" && kind.group === "")) return;
  const quotas = context.lookup.list("resourcequotas", namespace) as readonly ResourceQuota[];
  if (quotas.length === 0) return;
  const evaluator = evaluatorFor(resource.group, resource.resource);
  if (evaluator === undefined || !evaluator.handles(request)) return;
  const charges = chargesOf({ request, evaluator, now: context.now() }, quotas);
  if (request.dryRun) return;
  for (const charge of charges) writeCharge(charge, context);
}

interface Question {
  readonly request: AdmissionRequest;
  readonly evaluator: Evaluator;
  readonly now: number;
}

/** The usage of a quota after the request. */
interface Charge {
  readonly quota: ResourceQuota;
  readonly used: Amounts;
}

function chargesOf(question: Question, quotas: readonly ResourceQuota[]): Charge[] {
  const { request, evaluator, now } = question;
  const object = request.object as KubeObject;
  const pertinent = quotas.filter((quota) => isPertinent(question, quota, object));
  if (pertinent.length === 0) return [];
  const usage = evaluator.usage(object, now);
  const negative = negativeNames(usage);
  if (negative.length > 0) {
    throw refusal(request, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  }
  return pertinent.flatMap((quota) => {
    const delta = nonZero(deltaOf(question, quota, usage));
    return delta.size === 0 ? [] : chargeFor(request, quota, delta);
  });
}

/** Whether a quota applies to the object; rejects if the object lacks required fields or the quota has no status yet. */
function isPertinent({ request, evaluator }: Question, quota: ResourceQuota, object: KubeObject): boolean {
  if (!matches(evaluator, quota, object)) return false;
  const name = quota.metadata.name ?? "";
  const restricted = evaluator.matching(Object.keys(quota.status?.hard ?? {}));
  const problem = evaluator.problem(object, restricted);
  if (problem !== undefined) throw refusal(request, `failed quota: ${name}: ${problem}`);
  const { used = {} } = quota.status ?? {};
  if (!restricted.every((one) => Object.hasOwn(used, one))) {
    throw refusal(request, `status unknown for quota: ${name}, resources: ${restricted.toSorted().join(",")}`);
  }
  return true;
}

function matches(evaluator: Evaluator, quota: ResourceQuota, object: KubeObject): boolean {
  if (evaluator.matching(Object.keys(quota.status?.hard ?? {})).length === 0) return false;
  return scopesOf(quota).every((scope) => evaluator.inScope(object, scope));
}

/** An update is charged for the difference, or in full if the quota did not apply before. */
function deltaOf({ request, evaluator, now }: Question, quota: ResourceQuota, usage: Amounts): Amounts {
  const { oldObject } = request;
  if (oldObject === undefined || !matches(evaluator, quota, oldObject)) return usage;
  return excess(usage, evaluator.usage(oldObject, now));
}

function chargeFor(request: AdmissionRequest, quota: ResourceQuota, delta: Amounts): Charge {
  const hard = readAmounts(quota.status?.hard);
  const before = readAmounts(quota.status?.used);
  const requested = mask(delta, hard.keys());
  const used = plus(before, requested);
  const exceeded = exceeding(mask(used, requested.keys()), hard);
  if (exceeded.length > 0 && request.subresource !== "status") {
    const [asked, present, limit] = [requested, before, hard].map((one) => describeAmounts(mask(one, exceeded)));
    const name = quota.metadata.name ?? "";
    throw refusal(request, `exceeded quota: ${name}, requested: ${asked}, used: ${present}, limited: ${limit}`);
  }
  return { quota, used };
}

/** No other request ran since the quota was read, so its usage is still current. */
function writeCharge({ quota, used }: Charge, context: AdmissionContext): void {
  if (sameAmounts(readAmounts(quota.status?.used), used)) return;
  const charged = { ...quota, status: { ...quota.status, used: writeAmounts(used) } } as KubeObject;
  context.writer.update("resourcequotas", context.asServer("resourcequotas", quota, charged));
}
