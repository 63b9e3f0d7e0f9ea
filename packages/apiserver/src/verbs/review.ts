/** create for reviews: access and token reviews return a result and are not stored. */
import { apiErrors } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ReviewRules } from "../builtin/rules.ts";
import { expectedOf, readObject } from "../decode/object.ts";
import { respondPresented } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { headerOf } from "../call.ts";
import { admit } from "./admit.ts";
import { managerOf, parseWriteOptions } from "./options.ts";

/** Serves a POST of a review. */
export async function review(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, context } = exchange;
  const rules = resource.rules as ReviewRules;
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const body = await readObject(exchange, expectedOf(resource), options.fieldValidation);
  ensureNamespace(body, resource.namespaced ? info.namespace : "");
  const manager = managerOf(options.fieldManager, headerOf(exchange.call, "user-agent") ?? "");
  const managed = resource.fieldManager?.update(undefined, body, { manager, time: context.now }) ?? body;
  const name = managed.metadata?.name ?? "";
  const source = { operation: "CREATE", name, options: options.object, dryRun: options.dryRun } as const;
  const admitted = await admit(exchange, { ...source, object: managed });
  const draft = admitted.object;
  const errors = rules.validateCreate?.(draft, context) ?? [];
  // kube-apiserver omits the kind and the name of the review here.
  if (errors.length > 0) throw apiErrors.invalid({ group: resource.group, kind: "" }, "", errors);
  await admitted.validate();
  const answered = await rules.answer(draft, context);
  return respondPresented(exchange, 201, resource.stored.decode(answered as never, undefined));
}
