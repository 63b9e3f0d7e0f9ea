/** Turns a checked tree into closures, folding what is constant. */

import type { FunctionDeclaration } from "../check/declarations.ts";
import type { Declarations } from "../check/scope.ts";
import { candidateNames, typeByName } from "../check/scope.ts";
import { priceOf } from "../cost/track.ts";
import { compilePattern, PatternError } from "../pattern/pattern.ts";
import type { CallNode, ComprehensionNode, ListNode, MapNode, Node, SelectNode, StructNode } from "../syntax/ast.ts";
import { qualifiedName } from "../syntax/ast.ts";
import type { Type } from "../type.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, fail } from "../values/value.ts";
import type { Attribute, Qualifier, Root } from "./attribute.ts";
import { planAttribute, planResolve } from "./attribute.ts";
import { planCall, planEquality, planLogical, planNotStrictlyFalse, planOptionalOr } from "./call.ts";
import { growing, planLoop } from "./comprehension.ts";
import { planList, planMap, planObject } from "./construct.ts";
import type { Step } from "./frame.ts";
import { Frame } from "./frame.ts";
import { dispatch, guarded } from "./guard.ts";
import { constantMembership } from "./membership.ts";

/** A planned expression. */
export interface Program {
  readonly step: Step;
  /** How many local variables it needs. */
  readonly slots: number;
}

/** Why a sound expression cannot be run: a constant in it has no value. */
export class PlanError extends Error {
  override readonly name = "PlanError";
}

export function plan(root: Node, declarations: Declarations): Program {
  const planner = new Planner(declarations);
  const step = toStep(planner.plan(root));
  return { step, slots: planner.slots };
}

/** A piece in the making: paths can still be extended, constants folded. */
type Piece =
  | { readonly kind: "constant"; readonly value: CelResult }
  | { readonly kind: "attribute"; readonly attribute: Attribute }
  | { readonly kind: "step"; readonly step: Step };

function toStep(piece: Piece): Step {
  switch (piece.kind) {
    case "constant": {
      const { value } = piece;
      return () => value;
    }
    case "attribute":
      return planAttribute(piece.attribute);
    case "step":
      return piece.step;
  }
}

/** A path that begins with the piece. */
function toAttribute(piece: Piece): Attribute {
  if (piece.kind === "attribute") return piece.attribute;
  return { root: { kind: "computed", step: toStep(piece) }, qualifiers: [] };
}

function extended(piece: Piece, qualifier: Qualifier): Piece {
  const { root, qualifiers } = toAttribute(piece);
  return { kind: "attribute", attribute: { root, qualifiers: [...qualifiers, qualifier] } };
}

const CONVERSIONS: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" "),
);
const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);
const NOTHING: ReadonlyMap<string, CelResult> = new Map();

class Planner {
  slots = 0;
  private readonly declarations: Declarations;
  /** What local names mean, innermost last. */
  private readonly locals: Map<string, Root>[] = [];

  constructor(declarations: Declarations) {
    this.declarations = declarations;
  }

  plan(node: Node): Piece {
    switch (node.kind) {
      case "literal":
        return { kind: "constant", value: node.value };
      case "ident":
        return this.name(node.name, node.type);
      case "select":
        return this.select(node);
      case "call":
        return this.call(node);
      case "list":
        return this.list(node);
      case "map":
        return this.map(node);
      case "struct":
        return this.struct(node);
      case "comprehension":
        return this.comprehension(node);
    }
  }

  private name(name: string, type: Type | undefined): Piece {
    const local = this.local(name);
    if (local) return { kind: "attribute", attribute: { root: local, qualifiers: [] } };
    const constant = this.declarations.constants.get(name);
    if (constant !== undefined) return { kind: "constant", value: constant };
    if (type?.kind === "type") {
      const value = this.typeValue(name);
      if (value) return { kind: "constant", value };
    }
    const names = type ? [name] : candidateNames(this.declarations.container, name);
    return { kind: "attribute", attribute: { root: { kind: "variable", names }, qualifiers: [] } };
  }

  private typeValue(name: string): Type | undefined {
    for (const provider of this.declarations.types) {
      const type = provider.findType(name);
      if (type) return type;
    }
    return this.declarations.variables.has(name) ? undefined : typeByName(name);
  }

  private local(name: string): Root | undefined {
    for (let index = this.locals.length - 1; index >= 0; index--) {
      const root = this.locals[index]?.get(name);
      if (root) return root;
    }
    return undefined;
  }

  private select(node: SelectNode): Piece {
    if (node.resolved !== undefined) return this.name(node.resolved, node.type);
    const dynamic = node.type ? undefined : qualifiedName(node);
    if (dynamic !== undefined && this.declarations.variables.has(dynamic)) return this.name(dynamic, undefined);
    return extended(this.plan(node.operand), { key: node.field, optional: false, test: node.test });
  }

  private call(node: CallNode): Piece {
    const args = (node.target ? [node.target, ...node.args] : node.args).map((argument) => this.plan(argument));
    const special = this.specialCall(node, args);
    if (special) return special;
    const overload = node.overloads?.length === 1 ? (node.overloads[0] as string) : "";
    const fn = this.declarations.functions.get(node.fn);
    if (!fn) return { kind: "step", step: () => fail(`no such overload: ${node.fn}`) };
    if (overload === "in_list") {
      const member = constantMembership(args.map(constantOf), () => args.map(toStep));
      if (member) return member === "never" ? { kind: "constant", value: false } : { kind: "step", step: member };
    }
    const compiled = hasConstantPattern(node, args);
    const step = this.functionCall(fn, overload, args, compiled);
    return CONVERSIONS.has(node.fn) && args.length === 1 ? fold(step, args) : { kind: "step", step };
  }

  private functionCall(fn: FunctionDeclaration, overloadId: string, args: readonly Piece[], compiled: boolean): Step {
    const overload = fn.overloads.find(({ id }) => id === overloadId);
    const ambiguous = !overload && !fn.singleton;
    return planCall({
      args: args.map(toStep),
      implementation: fn.singleton ?? (overload ? guarded(fn, overload) : dispatch(fn)),
      price: priceOf(fn.name, overloadId),
      eager: (ambiguous && args.length > 0) || compiled,
    });
  }

  /** Operators with special evaluation. */
  private specialCall(node: CallNode, args: readonly Piece[]): Piece | undefined {
    const [first, second, third] = args;
    if (!first) return undefined;
    switch (node.fn) {
      case "@not_strictly_false":
        return { kind: "step", step: planNotStrictlyFalse(toStep(first)) };
      case "_[_]":
      case "_[?_]":
      case "_?._":
        return second && extended(first, { key: keyOf(second), optional: node.fn !== "_[_]", test: false });
      case "_?_:_":
        return second && third && conditional(first, second, third);
      default:
        return second && binarySpecial(node, first, second);
    }
  }

  private list(node: ListNode): Piece {
    const elements = node.elements.map((element) => this.plan(element));
    return fold(planList(elements.map(toStep), node.optionals), elements, false);
  }

  private map(node: MapNode): Piece {
    const entries = node.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const step = planMap(
      entries.map(({ key, value, optional }) => ({ key: toStep(key), value: toStep(value), optional })),
    );
    return fold(
      step,
      entries.flatMap(({ key, value }) => [key, value]),
      false,
    );
  }

  private struct(node: StructNode): Piece {
    const fields = node.fields.map((entry) => ({
      name: entry.field,
      value: toStep(this.plan(entry.value)),
      optional: entry.optional,
    }));
    const step = planObject(fields, (values) => this.construct(node.name, values));
    return { kind: "step", step };
  }

  private construct(name: string, values: ReadonlyMap<string, CelValue>): CelResult {
    const provider = this.declarations.types.find((candidate) => candidate.construct && candidate.findType(name));
    return provider?.construct?.(name, values) ?? fail(`unknown type '${name}'`);
  }

  private comprehension(node: ComprehensionNode): Piece {
    const init = toStep(this.plan(node.init));
    const range = toStep(this.plan(node.range));
    const accuSlot = this.slots++;
    const iterSlot = this.slots++;
    const iterSlot2 = node.iterVar2 === "" ? undefined : this.slots++;
    const accumulator: Root = { kind: "local", slot: accuSlot, init: (frame) => growing(init(frame)) };
    this.locals.push(new Map([[node.accuVar, accumulator]]));
    this.locals.push(iterationRoots(node, iterSlot, iterSlot2));
    const condition = toStep(this.plan(node.condition));
    const step = toStep(this.plan(node.step));
    this.locals.pop();
    const result = toStep(this.plan(node.result));
    this.locals.pop();
    return { kind: "step", step: planLoop({ range, condition, step, result, accuSlot, iterSlot, iterSlot2 }) };
  }
}

function iterationRoots(node: ComprehensionNode, first: number, second: number | undefined): Map<string, Root> {
  const roots = new Map<string, Root>([[node.iterVar, { kind: "local", slot: first, init: undefined }]]);
  if (second !== undefined) roots.set(node.iterVar2, { kind: "local", slot: second, init: undefined });
  return roots;
}

function constantOf(piece: Piece): CelResult | undefined {
  return piece.kind === "constant" ? piece.value : undefined;
}

/** A key that is a path is not charged for its root; everything else is what it costs. */
function keyOf(piece: Piece): CelValue | Step {
  if (piece.kind === "constant" && !(piece.value instanceof CelError)) return piece.value;
  return piece.kind === "attribute" ? planResolve(piece.attribute) : toStep(piece);
}

function conditional(condition: Piece, truthy: Piece, falsy: Piece): Piece {
  const root: Root = {
    kind: "conditional",
    condition: toStep(condition),
    truthy: toAttribute(truthy),
    falsy: toAttribute(falsy),
  };
  return { kind: "attribute", attribute: { root, qualifiers: [] } };
}

function binarySpecial(node: CallNode, first: Piece, second: Piece): Piece | undefined {
  const left = toStep(first);
  const right = toStep(second);
  switch (node.fn) {
    case "_&&_":
      return { kind: "step", step: planLogical(false, left, right) };
    case "_||_":
      return { kind: "step", step: planLogical(true, left, right) };
    case "_==_":
      return { kind: "step", step: planEquality(priceOf("_==_", "equals"), [left, right], false) };
    case "_!=_":
      return { kind: "step", step: planEquality(priceOf("_!=_", "not_equals"), [left, right], true) };
    case "or":
      return isOptionalCall(node, "optional_or_optional")
        ? { kind: "step", step: planOptionalOr(left, right, false) }
        : undefined;
    case "orValue":
      return isOptionalCall(node, "optional_orValue_value")
        ? { kind: "step", step: planOptionalOr(left, right, true) }
        : undefined;
    default:
      return undefined;
  }
}

function isOptionalCall(node: CallNode, overload: string): boolean {
  return node.overloads === undefined || node.overloads.length !== 1 || node.overloads[0] === overload;
}

/** Computes a step now when all that it uses is constant. */
function fold(step: Step, pieces: readonly Piece[], failing = true): Piece {
  if (pieces.some((piece) => piece.kind !== "constant")) return { kind: "step", step };
  const value = step(new Frame(NOTHING, 0, Number.POSITIVE_INFINITY));
  if (failing && value instanceof CelError) throw new PlanError(value.message);
  return { kind: "constant", value };
}

/** Whether the call has a constant pattern, which must compile before anything runs. */
function hasConstantPattern(node: CallNode, args: readonly Piece[]): boolean {
  const pattern = PATTERN_FUNCTIONS.has(node.fn) && args[1] ? constantOf(args[1]) : undefined;
  if (typeof pattern !== "string") return false;
  try {
    compilePattern(pattern);
    return true;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new PlanError(error.message);
  }
}
