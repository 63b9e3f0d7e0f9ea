/** update: replaces an object, or the part of it that a subresource shows. */
import { apiErrors } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { cloneDraft } from "../builtin/given-empty.ts";
import type { KindRules } from "../builtin/rules.ts";
import { headerOf } from "../call.ts";
import { expectedOf, readObject } from "../decode/object.ts";
import { respondObject } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { warnAboutOwners } from "./create.ts";
import { managerOf, parseWriteOptions } from "./options.ts";
import { write } from "./write.ts";

/** Serves a PUT of an object or of a view of it. */
export async function update(exchange: ResourceExchange): Promise<Answer> {
  const { resource, subresource, info, query, call, context } = exchange;
  const options = parseWriteOptions(query, "UpdateOptions");
  const body = await readObject(exchange, expectedOf(resource), options.fieldValidation);
  ensureNamespace(body, resource.namespaced ? info.namespace : "");
  checkName(body.metadata.name ?? "", info.name);
  warnAboutOwners(exchange, body, false);
  const manager = (subresource ?? resource).fieldManager;
  const origin = { manager: managerOf(options.fieldManager, headerOf(call, "user-agent") ?? ""), time: context.now };
  const { object, created } = await write(exchange, {
    name: info.name,
    options,
    createsMissing: (resource.rules as KindRules).createOnUpdate === true,
    uid: body.metadata.uid ?? "",
    change: (live) => manager?.update(live, cloneDraft(body), origin) ?? cloneDraft(body),
  });
  return respondObject(exchange, created ? 201 : 200, object);
}

/** The body must have the name of the path. */
export function checkName(name: string, urlName: string): void {
  if (name === "") {
    throw apiErrors.badRequest(
      `the name of the object (${urlName} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name === urlName) return;
  throw apiErrors.badRequest(`the name of the object (${name}) does not match the name on the URL (${urlName})`);
}
