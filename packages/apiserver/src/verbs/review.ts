/** create for questions: access and token reviews are answered and not stored. */
import { apiErrors } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ReviewRules } from "../builtin/rules.ts";
import { expectedOf, readObject } from "../decode/object.ts";
import { respondPresented } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { headerOf } from "../call.ts";
import { managerOf, parseWriteOptions } from "./options.ts";

/** Answers a POST of a review. */
export async function review(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, context } = exchange;
  const rules = resource.rules as ReviewRules;
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const body = await readObject(exchange, expectedOf(resource), options.fieldValidation);
  ensureNamespace(body, resource.namespaced ? info.namespace : "");
  const manager = managerOf(options.fieldManager, headerOf(exchange.call, "user-agent") ?? "");
  const draft = resource.fieldManager?.update(undefined, body, { manager, time: context.now }) ?? body;
  const errors = rules.validateCreate?.(draft, context) ?? [];
  // The real server has forgotten the kind and the name of a question by then.
  if (errors.length > 0) throw apiErrors.invalid({ group: resource.group, kind: "" }, "", errors);
  const answered = await rules.answer(draft, context);
  return respondPresented(exchange, 201, resource.stored.decode(answered as never, undefined));
}
