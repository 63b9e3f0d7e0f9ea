/** Builds nodes for the parser: expands macros and keeps the tree from growing too deep. */

import type { Node } from "./ast.ts";
import { childrenOf } from "./ast.ts";
import type { Macro } from "./macros.ts";
import { ANY_ARGS, MacroError, NodeFactory } from "./macros.ts";
import type { Report } from "./token-stream.ts";
import { ParseStopError } from "./token-stream.ts";

/** How deep anything may be nested; every later walk over the tree relies on it. */
export const MAX_DEPTH = 250;

/** The node where nothing could be parsed. */
export const NOWHERE: Node = { kind: "literal", position: -1, value: null };

export function macroKey(name: string, args: number, receiver: boolean): string {
  return `${name}:${args}:${receiver}`;
}

export class NodeBuilder {
  private readonly macros: ReadonlyMap<string, Macro>;
  private readonly report: Report;
  /** How many nested compound nodes each node holds. */
  private readonly heights = new WeakMap<Node, number>();

  constructor(macros: ReadonlyMap<string, Macro>, report: Report) {
    this.macros = macros;
    this.report = report;
  }

  /** An operator on operands. */
  operator(position: number, fn: string, ...args: Node[]): Node {
    return this.compound({ kind: "call", position, fn, target: undefined, args });
  }

  /** A call, or what the macro of that name makes of it. */
  call(position: number, fn: string, target: Node | undefined, args: readonly Node[]): Node {
    const call: Node = { kind: "call", position, fn, target, args };
    if (target) this.compound(call);
    else this.plain(call);
    const receiver = target !== undefined;
    const macro =
      this.macros.get(macroKey(fn, args.length, receiver)) ?? this.macros.get(macroKey(fn, ANY_ARGS, receiver));
    const expanded = macro && this.expand(macro, position, target, args);
    if (!expanded) return call;
    this.heights.set(expanded, this.heights.get(call) ?? 0);
    return expanded;
  }

  private expand(macro: Macro, position: number, target: Node | undefined, args: readonly Node[]): Node | undefined {
    try {
      return macro.expand(new NodeFactory(position), target, args);
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      return this.bad(error.position, error.message);
    }
  }

  /** A node in place of a syntax error. */
  bad(position: number, message: string): Node {
    this.report(position, message);
    return { ...NOWHERE, position };
  }

  /** A node that adds nothing to the depth. */
  plain(node: Node): Node {
    return this.withHeight(node, 0);
  }

  /** A node that is one deeper than its deepest part. */
  compound(node: Node): Node {
    return this.withHeight(node, 1);
  }

  giveUp(message: string): never {
    this.report(-1, message);
    throw new ParseStopError(message);
  }

  private withHeight(node: Node, own: number): Node {
    let height = 0;
    for (const child of childrenOf(node)) height = Math.max(height, this.heights.get(child) ?? 0);
    if (height + own > MAX_DEPTH) this.giveUp("max recursion depth exceeded");
    if (height + own > 0) this.heights.set(node, height + own);
    return node;
  }
}
