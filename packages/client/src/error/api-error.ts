/** Errors of requests: what failed, why, and what to do. */
import type { Status, StatusCause } from "@capstan/model";
import { describeAttempt, formatRule, ruleFor } from "./attempt.ts";
import type { Attempt, PolicyRule } from "./attempt.ts";
import type { ApiErrorCode } from "./code.ts";

/** The fields of an `ApiError`. */
export interface ApiErrorInit {
  readonly code: ApiErrorCode;
  readonly message: string;
  /** The HTTP status; 0 without a response. */
  readonly status?: number | undefined;
  readonly attempt?: Attempt | undefined;
  readonly statusObject?: Status | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A request failed. `code` says why; `attempt` says what was to be done to which object.
 *
 * @example
 * const wait = (error: unknown) => (error instanceof ApiError ? error.retryAfterMs : undefined);
 */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly attempt: Attempt | undefined;
  readonly statusObject: Status | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.status = init.status ?? 0;
    this.attempt = init.attempt;
    this.statusObject = init.statusObject;
    this.retryAfterMs = init.retryAfterMs;
  }

  /** The causes in the Status. */
  get causes(): readonly StatusCause[] {
    return this.statusObject?.details?.causes ?? [];
  }

  /** The kind and key of the request's object. */
  get object(): Pick<Attempt, "group" | "version" | "kind" | "namespace" | "name"> | undefined {
    return this.attempt;
  }
}

/**
 * The server forbids it; `rule` is what a Role would have to say to permit it.
 *
 * @example
 * const missingVerbs = (error: unknown) => (error instanceof ForbiddenError ? error.rule.verbs : []);
 */
export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError";
  readonly rule: PolicyRule;

  constructor(init: Omit<ApiErrorInit, "code" | "message"> & { readonly attempt: Attempt; readonly why: string }) {
    const rule = ruleFor(init.attempt);
    const advice = `If a permission is missing, this rule grants it:\n${formatRule(rule)}`;
    super({
      ...init,
      code: "Forbidden",
      message: `Cannot ${describeAttempt(init.attempt)}: ${sentence(init.why)} ${advice}`,
    });
    this.rule = rule;
  }
}

/**
 * Whether something that was thrown is an `ApiError`, optionally with one of these codes.
 *
 * @example
 * const orUndefined = (error: unknown) => {
 *   if (isApiError(error, "NotFound")) return undefined;
 *   throw error;
 * };
 */
export function isApiError(error: unknown, ...codes: readonly ApiErrorCode[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));
}

/** The text with a final full stop. */
export function sentence(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
