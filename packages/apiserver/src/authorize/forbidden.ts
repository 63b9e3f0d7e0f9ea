/** The error of a request that its user may not make. */
import { apiErrors, quote, StatusError } from "@capstan/model";
import type { AccessAttributes } from "./authorizer.ts";

/** Access denied by authorization or impersonation. Other 403 errors are about the content of the request. */
export class AccessDeniedError extends StatusError {}

/** The error of a request that fails authorization. */
export function toDenied(asked: AccessAttributes, reason: string): AccessDeniedError {
  return new AccessDeniedError(toForbidden(asked, reason).status);
}

/** The 403 error for a denied access. */
export function toForbidden(asked: AccessAttributes, reason: string): StatusError {
  // HTML is escaped, because a browser may show the message.
  const what = sentence(asked).replaceAll(/[&<>]/g, (mark) => marks[mark] ?? mark);
  const why = reason === "" ? what : `${what}: ${reason}`;
  if (asked.type === "path") return apiErrors.forbidden({ group: "", resource: "" }, "", why);
  return apiErrors.forbidden({ group: asked.group, resource: asked.resource }, asked.name, why);
}

const marks: { readonly [mark: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function sentence(asked: AccessAttributes): string {
  const user = `User ${quote(asked.user.name)} cannot ${asked.verb}`;
  if (asked.type === "path") return `${user} path ${quote(asked.path)}`;
  const resource = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const scope = asked.namespace === "" ? "at the cluster scope" : `in the namespace ${quote(asked.namespace)}`;
  return `${user} resource ${quote(resource)} in API group ${quote(asked.group)} ${scope}`;
}
