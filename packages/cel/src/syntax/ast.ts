/** The tree of an expression after macros are expanded; the checker writes types and references into it. */

import type { Type } from "../type.ts";
import type { CelUint } from "../values/value.ts";

/** What a literal can hold. */
export type LiteralValue = null | boolean | bigint | number | string | Uint8Array | CelUint;

interface NodeBase {
  /** Where it begins in the source, in UTF-16 units; -1 when nowhere. */
  readonly position: number;
  /** Set by the checker. */
  type?: Type;
}

export interface LiteralNode extends NodeBase {
  readonly kind: "literal";
  readonly value: LiteralValue;
}

export interface IdentNode extends NodeBase {
  readonly kind: "ident";
  name: string;
}

export interface SelectNode extends NodeBase {
  readonly kind: "select";
  readonly operand: Node;
  readonly field: string;
  /** True for has(operand.field). */
  readonly test: boolean;
  /** The variable or type of the whole path, once checked. */
  resolved?: string;
}

export interface CallNode extends NodeBase {
  readonly kind: "call";
  fn: string;
  target: Node | undefined;
  readonly args: readonly Node[];
  /** The overloads that fit, once checked. */
  overloads?: readonly string[];
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly elements: readonly Node[];
  /** Which elements are written `?element`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly position: number;
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface FieldEntry {
  readonly position: number;
  readonly field: string;
  readonly value: Node;
  readonly optional: boolean;
}

export interface StructNode extends NodeBase {
  readonly kind: "struct";
  name: string;
  readonly fields: readonly FieldEntry[];
}

export interface ComprehensionNode extends NodeBase {
  readonly kind: "comprehension";
  readonly range: Node;
  readonly iterVar: string;
  /** Empty for one-variable comprehensions. */
  readonly iterVar2: string;
  readonly accuVar: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

/** One node of the tree. */
export type Node =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode;

/** The name of the value that a comprehension accumulates; no source can spell it. */
export const ACCUMULATOR = "@result";

/** `a.b.c` as a name when the node is nothing but names, else undefined. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.test) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** The nodes directly below, in evaluation order of the source. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [node.operand];
    case "call":
      return node.target ? [node.target, ...node.args] : node.args;
    case "list":
      return node.elements;
    case "map":
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return node.fields.map((entry) => entry.value);
    case "comprehension":
      return [node.range, node.init, node.condition, node.step, node.result];
  }
}

/** A deep copy with fresh nodes, so that a macro may use an argument twice. */
export function copyNode(node: Node): Node {
  switch (node.kind) {
    case "literal":
    case "ident":
      return { ...node };
    case "select":
      return { ...node, operand: copyNode(node.operand) };
    case "call":
      return { ...node, target: node.target && copyNode(node.target), args: node.args.map(copyNode) };
    case "list":
      return { ...node, elements: node.elements.map(copyNode) };
    case "map":
      return { ...node, entries: node.entries.map((e) => ({ ...e, key: copyNode(e.key), value: copyNode(e.value) })) };
    case "struct":
      return { ...node, fields: node.fields.map((e) => ({ ...e, value: copyNode(e.value) })) };
    case "comprehension":
      return copyComprehension(node);
  }
}

function copyComprehension(node: ComprehensionNode): ComprehensionNode {
  return {
    ...node,
    range: copyNode(node.range),
    init: copyNode(node.init),
    condition: copyNode(node.condition),
    step: copyNode(node.step),
    result: copyNode(node.result),
  };
}
