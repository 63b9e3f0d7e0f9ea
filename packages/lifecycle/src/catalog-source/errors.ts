/** Errors of catalogs that cannot be read. */

/** Why a catalog cannot be read. */
export type CatalogErrorCode = "Malformed" | "Unreachable" | "Unsupported";

/** A catalog cannot be read. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly code: CatalogErrorCode;

  constructor(code: CatalogErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
