/** Callers of the HTTP API and what they may do. */
import { HttpError } from "./http-error.ts";

/** What rights are asked for; the resources of `metering.capstan.dev`. */
export interface Right {
  readonly verb: "get" | "create";
  readonly resource: "reports" | "invoices" | "usage";
}

/** Whose data a right covers. */
export type Scope = { readonly kind: "all" } | { readonly kind: "tenants"; readonly tenants: readonly string[] };

/** An authenticated caller. */
export interface Caller {
  readonly user: string;
  scopeOf(right: Right): Promise<Scope>;
}

/** Finds the caller of a bearer token; undefined for an unknown one. */
export interface Authenticator {
  callerOf(token: string): Promise<Caller | undefined>;
}

/** Whether a scope covers a tenant. */
export function covers(scope: Scope, tenant: string): boolean {
  return scope.kind === "all" || scope.tenants.includes(tenant);
}

/** Refuses a tenant that is not the caller's own. */
export function needTenant(scope: Scope, tenant: string | undefined): void {
  if (tenant !== undefined && !covers(scope, tenant))
    throw new HttpError(403, `the tenant ${JSON.stringify(tenant)} is not yours; ask an admin for access`);
}

/** Refuses a caller whose right does not cover all tenants. */
export function needAll(scope: Scope): void {
  if (scope.kind !== "all") throw new HttpError(403, "this needs the role admin; ask an admin for access");
}
