/** Checks after the type check that need constant values: durations, timestamps, patterns, formats and mixed literals. */

import type { Issue } from "../source.ts";
import { locate } from "../source.ts";
import type { CallNode, ListNode, MapNode, Node } from "../syntax/ast.ts";
import { childrenOf } from "../syntax/ast.ts";
import type { Type } from "../type.ts";
import { DYN, equivalentType, formatType } from "../type.ts";
import { CelError } from "../values/value.ts";
import { toDurationValue, toTimestampValue } from "../library/convert.ts";
import { compilePattern } from "../pattern/pattern.ts";
import { checkFormatCall } from "../library/format-check.ts";

/** Calls whose literal arguments may mix types. */
const MIXING: ReadonlySet<string> = new Set(["format"]);

/** Which checks to make. */
export interface Validations {
  /** The elements of a list or map literal must be of one type. */
  readonly homogeneousLiterals: boolean;
  /** Constant durations, timestamps, patterns and formats must be valid. */
  readonly constants: boolean;
  /** Whether format calls exist. */
  readonly formats: boolean;
}

export function validate(source: string, root: Node, validations: Validations): readonly Issue[] {
  const issues: Issue[] = [];
  const report = (position: number, message: string): void => {
    issues.push({ ...locate(source, position), message });
  };
  visit(root, { ...validations, report, exempt: !validations.homogeneousLiterals });
  return issues;
}

interface Visit extends Validations {
  readonly report: (position: number, message: string) => void;
  /** True inside calls whose arguments may mix types. */
  readonly exempt: boolean;
}

function visit(node: Node, context: Visit): void {
  if (node.kind === "call" && context.constants) visitCall(node, context);
  if (node.kind === "list" && !context.exempt) checkList(node, context);
  if (node.kind === "map" && !context.exempt) checkMap(node, context);
  const exempt = context.exempt || (node.kind === "call" && context.formats && MIXING.has(node.fn));
  for (const child of childrenOf(node)) visit(child, exempt === context.exempt ? context : { ...context, exempt });
}

function visitCall(node: CallNode, { report, formats }: Visit): void {
  const [argument] = node.args;
  const literal = argument?.kind === "literal" ? argument.value : undefined;
  if (argument && literal !== undefined && !isValidArgument(node.fn, literal)) {
    report(argument.position, `invalid ${node.fn} argument`);
  }
  if (formats && node.fn === "format") checkFormatCall(node, report);
}

function isValidArgument(fn: string, literal: unknown): boolean {
  switch (fn) {
    case "duration":
      return !(toDurationValue(literal as string) instanceof CelError);
    case "timestamp":
      return !(toTimestampValue(literal as string) instanceof CelError);
    case "matches":
      return typeof literal !== "string" || compiles(literal);
    default:
      return true;
  }
}

function compiles(pattern: string): boolean {
  try {
    compilePattern(pattern);
    return true;
  } catch {
    return false;
  }
}

function checkList(node: ListNode, { report }: Visit): void {
  let expected: Type | undefined;
  for (const [index, element] of node.elements.entries()) {
    const type = entryType(element, node.optionals.has(index));
    expected ??= type;
    if (equivalentType(expected, type)) continue;
    report(element.position, mismatch(expected, type));
    return;
  }
}

function checkMap(node: MapNode, { report }: Visit): void {
  const [first] = node.entries;
  if (!first) return;
  const keyType = entryType(first.key, false);
  const valueType = entryType(first.value, first.optional);
  for (const entry of node.entries) {
    const key = entryType(entry.key, false);
    const value = entryType(entry.value, entry.optional);
    if (!equivalentType(keyType, key)) report(entry.key.position, mismatch(keyType, key));
    if (!equivalentType(valueType, value)) report(entry.value.position, mismatch(valueType, value));
  }
}

function entryType(node: Node, optional: boolean): Type {
  const type = node.type ?? DYN;
  return optional ? type.first : type;
}

function mismatch(expected: Type, found: Type): string {
  return `expected type '${formatType(expected)}' but found '${formatType(found)}'`;
}
