/** `cel.bind(name, value, expression)`: a name for a value that is used more than once. */

import type { Node } from "../syntax/ast.ts";
import type { Expand } from "../syntax/macros.ts";
import { bind, MacroError } from "../syntax/macros.ts";
import type { Library } from "./library.ts";

const expandBind: Expand = (make, target, [variable, init, result]) => {
  if (target?.kind !== "ident" || target.name !== "cel") return undefined;
  if (variable?.kind !== "ident") {
    throw new MacroError(variable?.position ?? -1, "cel.bind() variable names must be simple identifiers");
  }
  return bind(make, variable.name, init as Node, result as Node);
};

/** Adds cel.bind. */
export const BINDINGS: Library = {
  name: "bindings",
  macros: [{ name: "bind", args: 3, receiver: true, expand: expandBind }],
};
