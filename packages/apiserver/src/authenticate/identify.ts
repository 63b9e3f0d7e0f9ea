/** The user of a call, after impersonation. */
import { apiErrors, type StatusError } from "@capstan/model";
import { accessOf } from "../authorize/authorize-call.ts";
import { AccessDeniedError, toDenied } from "../authorize/forbidden.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { Call } from "../call.ts";
import type { ServerParts } from "../parts.ts";
import type { RequestInfo } from "../route/request-info.ts";
import { impersonationOf, type Way } from "./impersonation.ts";
import { anonymous, type UserInfo } from "./user.ts";

/** The request that the call makes. */
export interface Purpose {
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly warnings: Set<string>;
  readonly trail: AuditTrail;
}

/** The user of a call; 401 for invalid credentials, 403 for an impersonation that is not allowed. */
export async function identify(parts: ServerParts, call: Call, purpose: Purpose): Promise<UserInfo> {
  const { info, query, warnings, trail } = purpose;
  const user = call.user ?? (await authenticate(parts, call, warnings));
  trail.user = user;
  if (!impersonates(call)) return user;
  const impersonation = impersonationOf(call, accessOf({ user, query }, info));
  switch (impersonation.type) {
    case "none":
      return user;
    case "malformed":
      throw new AccessDeniedError(apiErrors.badRequest(impersonation.problem).status);
    case "as": {
      const way = await firstAllowed(parts, parts.lastWays.inOrder(user.name, impersonation.ways));
      parts.lastWays.allowed(user.name, way);
      trail.impersonated = way;
      return way.user;
    }
  }
}

/** Most calls do not impersonate and skip the parsing of the headers. */
function impersonates({ headers }: Call): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

/** The first way that is allowed. If none is, the error of the first one that was tried is thrown. */
async function firstAllowed(parts: ServerParts, ways: readonly Way[]): Promise<Way> {
  let refused: StatusError | undefined;
  for (const way of ways) {
    const refusal = await refusalOf(parts, way);
    if (refusal === undefined) return way;
    refused ??= refusal;
  }
  throw refused ?? apiErrors.internalError("all impersonation modes failed");
}

async function refusalOf({ authorizer }: ServerParts, { needs }: Way): Promise<StatusError | undefined> {
  for (const { access, never } of needs) {
    if (never !== undefined) return toDenied(access, never);
    const decision = await authorizer.authorize(access);
    if (decision.verdict !== "Allow") return toDenied(access, decision.reason);
  }
  return undefined;
}

async function authenticate(parts: ServerParts, call: Call, warnings: Set<string>): Promise<UserInfo> {
  const result = await parts.authenticator.authenticate(call);
  switch (result.type) {
    case "user":
      return result.user;
    case "rejected":
      throw apiErrors.unauthorized("Unauthorized");
    case "none":
      if (result.warning !== undefined) warnings.add(result.warning);
      return anonymous;
  }
}
