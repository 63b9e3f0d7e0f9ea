/** Errors of the execution of an InstallPlan. */

/** Why a step fails. */
export type StepErrorCode = "Unsupported" | "Unsafe" | "Manifest" | "CompetingOwner" | "NoOwner" | "NotServed";

/** A step of an InstallPlan fails. The message is that of the plan. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly code: StepErrorCode;

  constructor(code: StepErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
