/** A library: what it adds to an environment. */

import type { FunctionDeclaration, TypeProvider } from "../check/declarations.ts";
import type { Macro } from "../syntax/macros.ts";

/** Functions, macros and types that belong together. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that expressions can name or build. */
  readonly types?: TypeProvider;
  /** Constants by their full names. */
  readonly constants?: ReadonlyMap<string, bigint>;
  /** Turns `a.?b` and its kin on. */
  readonly optionalSyntax?: boolean;
}
