/** Errors of a definition, thrown when the module that defines it is loaded. */

export type DefinitionErrorCode =
  | "BadDefault"
  | "BadBounds"
  | "BadColumn"
  | "BadConversion"
  | "BadListKey"
  | "BadName"
  | "BadPattern"
  | "BadRule"
  | "BadVersions"
  | "NotExpressible"
  | "UnknownKey";

/**
 * A definition that no CRD can hold. `field` says where.
 *
 * @example
 * try {
 *   await import("./my-resource.js" as string);
 * } catch (error) {
 *   if (error instanceof DefinitionError) console.error(error.code, error.field);
 * }
 */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly code: DefinitionErrorCode;
  readonly field: string;

  constructor(code: DefinitionErrorCode, field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.code = code;
    this.field = field;
  }
}
