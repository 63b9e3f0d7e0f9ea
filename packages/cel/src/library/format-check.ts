/** Checks constant format strings against the types of what is to be formatted. */

import type { CallNode, ListNode, Node } from "../syntax/ast.ts";
import type { TypeKind } from "../type.ts";
import { DYN } from "../type.ts";
import type { Verb } from "./format-clause.ts";
import { clauseError, eachPart, FormatError } from "./format-clause.ts";

const ACCEPTED: Record<Verb, ReadonlySet<TypeKind>> = {
  s: new Set([
    "list",
    "map",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "timestamp",
    "bytes",
    "duration",
    "type",
    "null",
  ]),
  d: new Set(["int", "uint"]),
  f: new Set(["double", "string"]),
  e: new Set(["double", "string"]),
  b: new Set(["int", "uint", "bool"]),
  x: new Set(["int", "uint", "string", "bytes"]),
  X: new Set(["int", "uint", "string", "bytes"]),
  o: new Set(["int", "uint"]),
};

/** The error of one argument, with where it is. */
class ArgumentError extends FormatError {
  readonly position: number;
  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

export function checkFormatCall(node: CallNode, report: (position: number, message: string) => void): void {
  const { target } = node;
  const [list] = node.args;
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return;
  try {
    const used = countChecked(target.value, list);
    if (list.elements.length <= used) return;
    report(
      node.position,
      `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`,
    );
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    report(error instanceof ArgumentError ? error.position : node.position, error.message);
  }
}

function countChecked(format: string, list: ListNode): number {
  let used = 0;
  eachPart(format, list.elements.length, (part, index) => {
    if (part.kind !== "clause") return;
    used++;
    const bad = firstUnfit(part.verb, list.elements[index] as Node);
    if (bad) throw new ArgumentError(bad.position, clauseError(part.verb, (bad.type ?? DYN).name).message);
  });
  return used;
}

/** The part of an argument that a clause cannot format; `%s` looks into what is written out. */
function firstUnfit(verb: Verb, node: Node): Node | undefined {
  const { kind } = node.type ?? DYN;
  if (kind !== "dyn" && !ACCEPTED[verb].has(kind)) return node;
  if (verb !== "s") return undefined;
  if (node.kind === "list") return node.elements.map((element) => firstUnfit(verb, element)).find((bad) => bad);
  if (node.kind !== "map") return undefined;
  return node.entries.map((entry) => firstUnfit(verb, entry.key) ?? firstUnfit(verb, entry.value)).find((bad) => bad);
}
