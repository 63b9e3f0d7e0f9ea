/** A request as an Event of audit.k8s.io/v1 at the level Metadata: user, request, times and result, without bodies. */
import { isIP } from "node:net";
import { formatMicroTime, type StatusDetails } from "@capstan/model";
import type { UserInfo } from "../authenticate/user.ts";
import { headerOf, type Call } from "../call.ts";
import type { AuditTrail } from "./trail.ts";

/** The stage of an event: a long-running response has started, or a response is complete. */
export type AuditStage = "ResponseStarted" | "ResponseComplete";

/** A user, in the form that audit events and reviews use. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** The object of a request. */
export interface AuditReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The response status. */
export interface AuditStatus {
  readonly metadata: Record<string, never>;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** One line of an audit log, its fields in the order in which kube-apiserver writes them. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: "Metadata";
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditReference;
  readonly responseStatus: AuditStatus;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: { readonly [key: string]: string };
}

/** The input of an event. */
export interface Audited {
  readonly call: Call;
  readonly trail: AuditTrail;
  readonly stage: AuditStage;
  /** The HTTP status code. */
  readonly code: number;
  /** Milliseconds since 1970. */
  readonly received: number;
  readonly now: number;
}

export function toAuditEvent({ call, trail, stage, code, received, now }: Audited): AuditEvent {
  const { auditId, info, user, impersonated } = trail;
  const constraint = impersonated?.constraint ?? "";
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: auditId,
    stage,
    requestURI: call.url,
    verb: info?.verb ?? call.method.toLowerCase(),
    user: toAuditUser(user),
    ...(impersonated && { impersonatedUser: toAuditUser(impersonated.user) }),
    ...(constraint === "" ? {} : { authenticationMetadata: { impersonationConstraint: constraint } }),
    ...callerOf(call),
    ...(info?.type === "resource" ? { objectRef: referenceOf(trail) } : {}),
    responseStatus: statusOf(trail, code),
    requestReceivedTimestamp: formatMicroTime(received),
    stageTimestamp: formatMicroTime(now),
    ...annotationsOf(trail),
  };
}

function toAuditUser(user: UserInfo | undefined): AuditUser {
  if (user === undefined) return {};
  const { name, uid = "", groups, extra = {} } = user;
  return {
    username: name,
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: sorted(extra) }),
  };
}

const longestAgent = 1024;

function callerOf(call: Call): Pick<AuditEvent, "sourceIPs" | "userAgent"> {
  const sourceIPs = sourcesOf(call);
  const agent = headerOf(call, "user-agent") ?? "";
  const userAgent = agent.length > longestAgent ? `${agent.slice(0, longestAgent)}...TRUNCATED` : agent;
  return { ...(sourceIPs.length === 0 ? {} : { sourceIPs }), ...(userAgent === "" ? {} : { userAgent }) };
}

/** The client addresses: those that proxies report, then the address of the direct peer. */
function sourcesOf(call: Call): string[] {
  const forwarded = (headerOf(call, "x-forwarded-for") ?? "").split(",").map((one) => one.trim());
  const sources = forwarded.filter((one) => isIP(one) !== 0);
  const real = headerOf(call, "x-real-ip") ?? "";
  if (isIP(real) !== 0 && !sources.includes(real)) sources.push(real);
  const peer = call.remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/, "");
  if (isIP(peer) !== 0 && sources.at(-1) !== peer) sources.push(peer);
  return sources;
}

/** Fields that the path does not contain come from the object in the body. */
function referenceOf({ info, sent = {} }: AuditTrail): AuditReference {
  if (info?.type !== "resource") return {};
  return present({
    resource: info.resource,
    namespace: info.namespace === "" ? sent.namespace : info.namespace,
    name: info.authorizedName === "" ? sent.name : info.authorizedName,
    uid: sent.uid,
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: sent.resourceVersion,
    subresource: info.subresource,
  });
}

function present(fields: { readonly [field: string]: string | undefined }): AuditReference {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
}

function statusOf({ status: told }: AuditTrail, code: number): AuditStatus {
  if (told === undefined) return { metadata: {}, code };
  const { status, message = "", reason = "", details } = told;
  return {
    metadata: {},
    ...(status === undefined ? {} : { status }),
    ...(message === "" ? {} : { message }),
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

function annotationsOf({ annotations }: AuditTrail): Pick<AuditEvent, "annotations"> {
  return Object.keys(annotations).length === 0 ? {} : { annotations: sorted(annotations) };
}

/** Go writes maps in the order of their keys. */
function sorted<T>(map: { readonly [key: string]: T }): { [key: string]: T } {
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
