/** What an expression can cost at least and at most, before it is run. */

import type { CallNode, ComprehensionNode, ListNode, MapNode, Node, SelectNode } from "../syntax/ast.ts";
import { ACCUMULATOR } from "../syntax/ast.ts";
import type { Type } from "../type.ts";
import { DYN, isOptional } from "../type.ts";
import { codePointCount } from "../values/value.ts";
import type { EstimatedNode } from "./call-estimate.ts";
import { libraryEstimate } from "./call-estimate.ts";
import { coreEstimate } from "./core-estimate.ts";
import { CostRange, MAX_COST } from "./range.ts";

/** The least and the most, in the units of Kubernetes' limits. */
export interface CostEstimate {
  readonly min: bigint;
  readonly max: bigint;
}

/** How large a value at a path can be: its size range, or undefined when nothing is known. */
export type SizeEstimator = (
  path: readonly string[],
  type: Type,
) => { readonly min: bigint; readonly max: bigint } | undefined;

export function estimateCost(node: Node, sizes: SizeEstimator = () => undefined): CostEstimate {
  return new Estimator(sizes).cost(node);
}

/** How large the keys and the values of a container are. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: CostRange;
  readonly value: CostRange;
}

interface Local {
  readonly path: readonly string[];
  readonly size: CostRange | undefined;
  readonly entry: EntrySize | undefined;
}

const ZERO = CostRange.fixed(0n);
const ONE = CostRange.fixed(1n);
const NO_ENTRY: CostRange = new CostRange(MAX_COST, 0n);
const LIST_COST = CostRange.fixed(10n);
const MAP_COST = CostRange.fixed(30n);
const OBJECT_COST = CostRange.fixed(40n);

class Estimator {
  private readonly sizes: SizeEstimator;
  private readonly paths = new Map<Node, readonly string[]>();
  private readonly computed = new Map<Node, CostRange>();
  private readonly entrySizes = new Map<Node, EntrySize>();
  private readonly locals = new Map<string, Local[]>();

  constructor(sizes: SizeEstimator) {
    this.sizes = sizes;
  }

  cost(node: Node): CostRange {
    switch (node.kind) {
      case "literal":
        return ZERO;
      case "ident":
        return this.ident(node, node.name);
      case "select":
        return this.select(node);
      case "call":
        return this.call(node);
      case "list":
        return this.list(node);
      case "map":
        return this.map(node);
      case "struct":
        return node.fields.reduce((sum, entry) => sum.add(this.cost(entry.value)), ZERO).add(OBJECT_COST);
      case "comprehension":
        return isBinding(node) ? this.binding(node) : this.comprehension(node);
    }
  }

  private ident(node: Node, name: string): CostRange {
    this.paths.set(node, this.local(name)?.path ?? [name]);
    return ONE;
  }

  private select(node: SelectNode): CostRange {
    if (node.resolved !== undefined) return this.ident(node, node.resolved);
    const operand = this.cost(node.operand);
    if (node.test) return operand;
    this.paths.set(node, [...this.pathOf(node.operand), node.field]);
    const charged = ["map", "struct", "param"].includes((node.operand.type ?? DYN).kind);
    return charged ? operand.add(ONE) : operand;
  }

  private call(node: CallNode): CostRange {
    if (node.fn === "dyn") return this.dyn(node);
    const argCosts = node.args.map((argument) => this.cost(argument));
    const args = node.args.map((argument) => this.estimated(argument));
    const overloads = node.overloads ?? [];
    if (overloads.length === 0) return ZERO;
    const targetCost = node.target ? this.cost(node.target) : ZERO;
    const target = node.target && this.estimated(node.target);
    let cost = NO_ENTRY;
    let size: CostRange | undefined;
    for (const overload of overloads) {
      const estimate = this.overload({ node, overload, target, args, argCosts });
      cost = cost.union(estimate.cost);
      if (estimate.size) size = size ? size.union(estimate.size) : estimate.size;
      if (overload === "index_list" || overload === "index_map") size = this.index(node, overload);
      size ??= this.sizeOf(node);
    }
    if (size) this.computed.set(node, size);
    return targetCost.add(cost);
  }

  private dyn(node: CallNode): CostRange {
    const [argument] = node.args;
    if (!argument) return ONE;
    const cost = this.cost(argument);
    this.copySizes(node, argument);
    return cost.add(ONE);
  }

  /** The element that an index reaches, as path and size. */
  private index(node: CallNode, overload: string): CostRange | undefined {
    const [container] = node.args;
    if (!container) return undefined;
    this.paths.set(node, [...this.pathOf(container), overload === "index_list" ? "@items" : "@values"]);
    return this.entryOf(container)?.value;
  }

  private overload(call: {
    readonly node: CallNode;
    readonly overload: string;
    readonly target: EstimatedNode | undefined;
    readonly args: readonly EstimatedNode[];
    readonly argCosts: readonly CostRange[];
  }): { readonly cost: CostRange; readonly size?: CostRange } {
    const { node, overload, target, args, argCosts } = call;
    const sum = argCosts.reduce((total, cost) => total.add(cost), ZERO);
    const sizeOf = (estimated: EstimatedNode): CostRange => this.declaredSize(estimated);
    const library = libraryEstimate({ fn: node.fn, overload, target, args, sizeOf });
    if (library) return { ...library, cost: library.cost.add(sum) };
    const [first = ZERO, second = ZERO, third = ZERO] = argCosts;
    if (overload === "logical_and" || overload === "logical_or")
      return { cost: new CostRange(first.min, first.add(second).max) };
    if (overload === "conditional") return this.conditional(node, first.add(second.union(third)), args);
    if (overload.startsWith("add_")) this.joinEntries(node);
    const core = coreEstimate({ overload, target, args });
    return core ? { ...core, cost: core.cost.add(sum) } : { cost: ONE.add(sum) };
  }

  private conditional(
    node: CallNode,
    cost: CostRange,
    args: readonly EstimatedNode[],
  ): { readonly cost: CostRange; readonly size: CostRange } {
    const [, truthy, falsy] = args;
    const entry = unionEntries(this.entryOf(node.args[1] as Node), this.entryOf(node.args[2] as Node));
    if (entry) this.entrySizes.set(node, entry);
    return { cost, size: (truthy?.size ?? CostRange.unknown).union(falsy?.size ?? CostRange.unknown) };
  }

  private joinEntries(node: CallNode): void {
    const [left, right] = node.args;
    const entry = left && right && unionEntries(this.entryOf(left), this.entryOf(right));
    if (entry) this.entrySizes.set(node, entry);
  }

  private list(node: ListNode): CostRange {
    let sum = ZERO;
    let value = node.elements.length === 0 ? ZERO : NO_ENTRY;
    for (const element of node.elements) {
      sum = sum.add(this.cost(element));
      value = value.union(this.sizeOf(element) ?? CostRange.unknown);
    }
    this.entrySizes.set(node, { container: "list", key: ONE, value });
    return sum.add(LIST_COST);
  }

  private map(node: MapNode): CostRange {
    let sum = ZERO;
    let key = node.entries.length === 0 ? ZERO : NO_ENTRY;
    let value = key;
    for (const entry of node.entries) {
      sum = sum.add(this.cost(entry.key)).add(this.cost(entry.value));
      key = key.union(this.sizeOf(entry.key) ?? CostRange.unknown);
      value = value.union(this.sizeOf(entry.value) ?? CostRange.unknown);
    }
    this.entrySizes.set(node, { container: "map", key, value });
    return sum.add(MAP_COST);
  }

  private comprehension(node: ComprehensionNode): CostRange {
    let sum = this.cost(node.range).add(this.cost(node.init));
    this.pushBinding(node.accuVar, node.init);
    this.pushIteration(node);
    const turn = this.cost(node.condition).add(this.cost(node.step));
    this.pop(node.iterVar);
    if (node.iterVar2 !== "") this.pop(node.iterVar2);
    sum = sum.add(this.cost(node.result));
    this.pop(node.accuVar);
    const turns = this.sizeOf(node.range) ?? CostRange.unknown;
    this.setLoopSize(node, turns);
    return sum.add(turns.times(turn));
  }

  private setLoopSize(node: ComprehensionNode, turns: CostRange): void {
    if (node.init.kind === "literal") {
      const size = this.sizeOf(node.init);
      if (size) this.computed.set(node, size);
    }
    if (node.init.kind !== "list" && node.init.kind !== "map") return;
    this.computed.set(node, turns);
    const entry = this.entryOf(node.step);
    if (entry) this.entrySizes.set(node, entry);
  }

  /** A binding costs its value once, however often it is used. */
  private binding(node: ComprehensionNode): CostRange {
    const sum = this.cost(node.range).add(this.cost(node.init));
    this.pushBinding(node.accuVar, node.init);
    const cost = sum.add(this.cost(node.result));
    this.pop(node.accuVar);
    this.copySizes(node, node.result);
    return cost;
  }

  private pushBinding(name: string, init: Node): void {
    this.push(name, { path: this.pathOf(init), size: this.sizeOf(init), entry: this.entryOf(init) });
  }

  private pushIteration(node: ComprehensionNode): void {
    const entry = this.entryOf(node.range);
    const container = entry?.container ?? (node.range.type ?? DYN).kind;
    const path = this.pathOf(node.range);
    const value: Local = {
      path: [...path, container === "list" ? "@items" : "@values"],
      size: entry?.value,
      entry: undefined,
    };
    const key: Local = {
      path: [...path, container === "list" ? "@indices" : "@keys"],
      size: entry?.key,
      entry: undefined,
    };
    if (node.iterVar2 === "") return this.push(node.iterVar, container === "list" ? value : key);
    this.push(node.iterVar, key);
    this.push(node.iterVar2, value);
  }

  private push(name: string, local: Local): void {
    const stack = this.locals.get(name);
    if (stack) stack.push(local);
    else this.locals.set(name, [local]);
  }

  private pop(name: string): void {
    this.locals.get(name)?.pop();
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private pathOf(node: Node): readonly string[] {
    const local = node.kind === "ident" ? this.local(node.name) : undefined;
    return local?.path ?? this.paths.get(node) ?? [];
  }

  private entryOf(node: Node): EntrySize | undefined {
    const known = this.entrySizes.get(node);
    if (known) return known;
    return node.kind === "ident" ? this.local(node.name)?.entry : undefined;
  }

  private copySizes(to: Node, from: Node): void {
    const size = this.sizeOf(from);
    if (size) this.computed.set(to, size);
    const entry = this.entryOf(from);
    if (entry) this.entrySizes.set(to, entry);
  }

  /** The size of a node: computed, written out, declared, given by its type, or that of the local it names. */
  private sizeOf(node: Node): CostRange | undefined {
    const known = this.computed.get(node) ?? literalSize(node);
    if (known) return known;
    const type = node.type ?? DYN;
    const declared = this.declared(this.pathOf(node), type);
    if (declared) {
      this.computed.set(node, declared);
      return declared;
    }
    if (isScalar(type)) return ONE;
    return node.kind === "ident" ? this.local(node.name)?.size : undefined;
  }

  private declared(path: readonly string[], type: Type): CostRange | undefined {
    const size = this.sizes(path, type);
    return size && new CostRange(size.min, size.max);
  }

  private declaredSize(node: EstimatedNode): CostRange {
    return node.size ?? this.declared(node.path ?? [], node.type) ?? CostRange.unknown;
  }

  private estimated(node: Node): EstimatedNode {
    const path = this.pathOf(node);
    return {
      path: path[0] === ACCUMULATOR ? undefined : path,
      type: node.type ?? DYN,
      literal: node.kind === "literal" ? node.value : undefined,
      size: this.sizeOf(node),
    };
  }
}

function isBinding(node: ComprehensionNode): boolean {
  const overNothing = node.range.kind === "list" && node.range.elements.length === 0;
  return overNothing && node.condition.kind === "literal" && node.condition.value === false;
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b && { container: a.container, key: a.key.union(b.key), value: a.value.union(b.value) };
}

function literalSize(node: Node): CostRange | undefined {
  if (node.kind === "list") return CostRange.fixed(BigInt(node.elements.length));
  if (node.kind === "map") return CostRange.fixed(BigInt(node.entries.length));
  if (node.kind !== "literal") return undefined;
  if (typeof node.value === "string") return CostRange.fixed(BigInt(codePointCount(node.value)));
  return CostRange.fixed(node.value instanceof Uint8Array ? BigInt(node.value.length) : 1n);
}

function isScalar(type: Type): boolean {
  if (isOptional(type)) return isScalar(type.first);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
