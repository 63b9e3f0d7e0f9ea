/** What the stages of a request record for the audit log. */
import { checkQualifiedName, type Status } from "@capstan/model";
import type { UserInfo } from "../authenticate/user.ts";
import type { RequestInfo } from "../route/request-info.ts";

/** The audit record of one request, as far as it was processed. */
export interface AuditTrail {
  auditId: string;
  info: RequestInfo | undefined;
  /** The authenticated user; undefined if authentication failed. */
  user: UserInfo | undefined;
  impersonated: Impersonated | undefined;
  /** Identity of the object in the request body. */
  sent: SentObject | undefined;
  /** The Status in the response, if there is one. */
  status: Status | undefined;
  readonly annotations: { [key: string]: string };
}

/** The impersonated user. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allows the impersonation; empty for the legacy `impersonate` verb. */
  readonly constraint: string;
}

/** The identity of an object in a request body. */
export interface SentObject {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A trail for a new request. */
export function beginTrail(): AuditTrail {
  return {
    auditId: "",
    info: undefined,
    user: undefined,
    impersonated: undefined,
    sent: undefined,
    status: undefined,
    annotations: {},
  };
}

/** Adds an annotation; the first value of a key is kept. */
export function annotate({ annotations }: AuditTrail, key: string, value: string): void {
  annotations[key] ??= value;
}

/** The same for keys that webhooks and policies choose: a key that is not a qualified name with a prefix is dropped. */
export function annotateChecked(trail: AuditTrail, key: string, value: string): void {
  if (key.split("/").length === 2 && checkQualifiedName(key).length === 0) annotate(trail, key, value);
}
