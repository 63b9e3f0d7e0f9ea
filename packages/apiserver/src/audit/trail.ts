/** What the stages of a request leave behind for whoever keeps records of it. */
import { checkQualifiedName, type Status } from "@capstan/model";
import type { UserInfo } from "../authenticate/user.ts";
import type { RequestInfo } from "../route/request-info.ts";

/** One request, as far as it came. */
export interface AuditTrail {
  auditId: string;
  info: RequestInfo | undefined;
  /** Who asked, as the credentials say; unknown where they were refused. */
  user: UserInfo | undefined;
  impersonated: Impersonated | undefined;
  /** What the object that was sent says of itself. */
  sent: SentObject | undefined;
  /** The Status that was answered, if it was one. */
  status: Status | undefined;
  readonly annotations: { [key: string]: string };
}

/** As whom the user acts. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allows it; empty where the older one does. */
  readonly constraint: string;
}

/** The identity of an object that was sent. */
export interface SentObject {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A trail of a request that has just come. */
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

/** Notes something; what was noted first stands. */
export function annotate({ annotations }: AuditTrail, key: string, value: string): void {
  annotations[key] ??= value;
}

/** The same for names that others choose: what is no qualified name with a prefix is left out. */
export function annotateChecked(trail: AuditTrail, key: string, value: string): void {
  if (key.split("/").length === 2 && checkQualifiedName(key).length === 0) annotate(trail, key, value);
}
