/** Assigns every node of a tree its type and every call its overloads, or reports type errors. */

import type { Issue } from "../source.ts";
import { locate } from "../source.ts";
import type {
  CallNode,
  ComprehensionNode,
  IdentNode,
  ListNode,
  MapNode,
  Node,
  SelectNode,
  StructNode,
} from "../syntax/ast.ts";
import { childrenOf, qualifiedName } from "../syntax/ast.ts";
import type { Type } from "../type.ts";
import {
  BOOL,
  DYN,
  ERROR,
  formatType,
  INT,
  isDyn,
  isDynOrError,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  sameType,
  typeParam,
} from "../type.ts";
import { typeOfValue } from "../values/value.ts";
import type { FunctionDeclaration, Overload } from "./declarations.ts";
import type { Declarations } from "./scope.ts";
import { Scope } from "./scope.ts";
import type { Bindings } from "./unify.ts";
import { assign, assignAll, mostGeneral, substitute } from "./unify.ts";

/** Which overloads are off. */
export interface CheckOptions {
  /** `1 < 1.5` is allowed outside dyn; locals of comprehensions always may, as in cel-go. */
  readonly crossTypeComparisons: boolean;
}

/** Checks the tree in place; no issue means that it is sound. */
export function check(source: string, root: Node, declarations: Declarations, options: CheckOptions): readonly Issue[] {
  const checker = new Checker(source, declarations, options);
  checker.check(root);
  if (checker.issues.length === 0) checker.settle(root);
  return checker.issues;
}

const CROSS_TYPE = /^(less|greater)(_equals)?_(int64_(double|uint64)|uint64_(double|int64)|double_(int64|uint64))$/;

class Checker {
  readonly issues: Issue[] = [];
  private readonly source: string;
  private readonly scope: Scope;
  private readonly options: CheckOptions;
  private bindings: Bindings = new Map();
  private variables = 0;
  private comprehensions = 0;

  constructor(source: string, declarations: Declarations, options: CheckOptions) {
    this.source = source;
    this.scope = new Scope(declarations);
    this.options = options;
  }

  check(node: Node): void {
    switch (node.kind) {
      case "literal":
        node.type = typeOfValue(node.value);
        return;
      case "ident":
        return this.ident(node);
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

  /** Replaces type variables everywhere with their bindings. */
  settle(node: Node): void {
    node.type = substitute(this.bindings, typeOfNode(node), true);
    for (const child of childrenOf(node)) this.settle(child);
  }

  private ident(node: IdentNode): void {
    const found = this.scope.findIdent(node.name);
    if (found) {
      node.type = found.type;
      node.name = found.name;
      return;
    }
    node.type = ERROR;
    this.undeclared(node.position, node.name);
  }

  private select(node: SelectNode): void {
    const name = qualifiedName(node);
    const found = name === undefined ? undefined : this.scope.findIdent(name);
    if (found) {
      node.type = found.type;
      node.resolved = found.name;
      return;
    }
    const field = this.selectField(node, node.operand, node.field, false);
    node.type = node.test ? BOOL : substitute(this.bindings, field, false);
  }

  /** The type of a field of the operand; an optional operand gives an optional field. */
  private selectField(node: Node, operand: Node, field: string, optional: boolean): Type {
    this.check(operand);
    const operandType = substitute(this.bindings, typeOfNode(operand), false);
    const target = isOptional(operandType) ? operandType.first : operandType;
    const type = this.fieldType(node, target, field);
    return optional || isOptional(operandType) ? optionalOf(type) : type;
  }

  private fieldType(node: Node, target: Type, field: string): Type {
    switch (target.kind) {
      case "map":
        return target.second;
      case "struct":
        return this.lookUpField(node.position, target.name, field) ?? ERROR;
      case "param":
        this.unify(DYN, target);
        return DYN;
      default:
        if (!isDynOrError(target))
          this.report(node.position, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  private lookUpField(position: number, typeName: string, field: string): Type | undefined {
    if (!this.scope.hasType(typeName)) {
      this.report(position, `unexpected failed resolution of '${typeName}'`);
      return undefined;
    }
    const type = this.scope.findField(typeName, field);
    if (!type) this.report(position, `undefined field '${field}'`);
    return type;
  }

  private call(node: CallNode): void {
    if (node.fn === "_?._") return this.optionalSelect(node);
    for (const argument of node.args) this.check(argument);
    if (!node.target) return this.globalCall(node);
    const prefix = qualifiedName(node.target);
    const namespaced = prefix === undefined ? undefined : this.scope.findFunction(`${prefix}.${node.fn}`);
    if (namespaced) {
      node.target = undefined;
      node.fn = namespaced.name;
      return this.resolve(node, namespaced);
    }
    this.check(node.target);
    const fn = this.scope.findFunction(node.fn);
    if (fn) return this.resolve(node, fn);
    node.type = ERROR;
    this.undeclared(node.position, node.fn);
  }

  private globalCall(node: CallNode): void {
    const fn = this.scope.findFunction(node.fn);
    if (!fn) {
      node.type = ERROR;
      return this.undeclared(node.position, node.fn);
    }
    node.fn = fn.name;
    this.resolve(node, fn);
  }

  private optionalSelect(node: CallNode): void {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== "literal" || typeof field.value !== "string") return;
    this.check(field);
    node.type = substitute(this.bindings, this.selectField(node, operand, field.value, true), false);
    node.overloads = ["select_optional_field"];
  }

  private resolve(node: CallNode, fn: FunctionDeclaration): void {
    const args = node.target ? [node.target, ...node.args] : node.args;
    if (fn.name === "_&&_" || fn.name === "_||_") return this.logical(node, fn);
    const types = args.map(typeOfNode);
    const fitting: string[] = [];
    let result: Type | undefined;
    for (const overload of fn.overloads) {
      if (overload.member !== (node.target !== undefined) || this.isDisabled(overload)) continue;
      const returned = this.fit(overload, types);
      if (!returned) continue;
      fitting.push(overload.id);
      if (!result) result = returned;
      else if (!isDyn(result) && !sameType(returned, result)) result = DYN;
    }
    node.type = result ?? ERROR;
    node.overloads = fitting;
    if (!result) this.noOverload(node, fn.name, types);
  }

  /** The overload's result type for these arguments, with fresh type variables; undefined when it does not fit. */
  private fit(overload: Overload, types: readonly Type[]): Type | undefined {
    if (overload.args.length !== types.length) return undefined;
    const fresh = this.freshen(overload);
    const bindings = assignAll(this.bindings, types, fresh.args);
    if (!bindings) return undefined;
    this.bindings = bindings;
    return substitute(this.bindings, fresh.result, false);
  }

  private freshen(overload: Overload): Pick<Overload, "args" | "result"> {
    const names = new Set<string>();
    for (const type of [...overload.args, overload.result]) collectParams(type, names);
    if (names.size === 0) return overload;
    const renamed = new Map([...names].map((name) => [name, this.newVariable()]));
    return {
      args: overload.args.map((type) => substitute(renamed, type, false)),
      result: substitute(renamed, overload.result, false),
    };
  }

  private isDisabled(overload: Overload): boolean {
    return !this.options.crossTypeComparisons && this.comprehensions === 0 && CROSS_TYPE.test(overload.id);
  }

  private logical(node: CallNode, fn: FunctionDeclaration): void {
    node.type = BOOL;
    node.overloads = fn.overloads.map(({ id }) => id);
    for (const argument of node.args) {
      const type = typeOfNode(argument);
      if (this.unify(type, BOOL)) continue;
      this.mismatch(argument, BOOL, type);
      node.type = ERROR;
    }
  }

  private noOverload(node: CallNode, name: string, types: readonly Type[]): void {
    const [first, ...rest] = types.map((type) => formatType(substitute(this.bindings, type, true)));
    const signature = node.target
      ? `${first}.(${rest.join(", ")})`
      : `(${[first, ...rest].filter((t) => t !== undefined).join(", ")})`;
    this.report(node.position, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  private list(node: ListNode): void {
    let joined: Type | undefined;
    for (const [index, element] of node.elements.entries()) {
      this.check(element);
      const type = node.optionals.has(index) ? this.unwrapOptional(element) : typeOfNode(element);
      joined = this.join(joined, type);
    }
    node.type = listOf(joined ?? this.newVariable());
  }

  private map(node: MapNode): void {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of node.entries) {
      this.check(entry.key);
      key = this.join(key, typeOfNode(entry.key));
      this.check(entry.value);
      value = this.join(value, entry.optional ? this.unwrapOptional(entry.value) : typeOfNode(entry.value));
    }
    node.type = mapOf(key ?? this.newVariable(), value ?? this.newVariable());
  }

  /** What an optional entry holds; anything else than an optional is a mistake. */
  private unwrapOptional(node: Node): Type {
    const type = substitute(this.bindings, typeOfNode(node), false);
    if (isOptional(type)) return type.first;
    if (!isDyn(type)) this.mismatch(node, optionalOf(type), type);
    return type;
  }

  private join(joined: Type | undefined, type: Type): Type {
    if (!joined) return type;
    if (this.unify(joined, type)) return mostGeneral(joined, type);
    return DYN;
  }

  private struct(node: StructNode): void {
    const found = this.scope.findIdent(node.name);
    if (!found) {
      node.type = ERROR;
      return this.undeclared(node.position, node.name);
    }
    node.name = found.name;
    node.type = this.structType(node, found.type);
    for (const entry of node.fields) {
      this.check(entry.value);
      const declared =
        (node.type.kind === "struct" && this.lookUpField(entry.position, node.type.name, entry.field)) || ERROR;
      const type = entry.optional ? this.unwrapOptional(entry.value) : typeOfNode(entry.value);
      if (!this.unify(declared, type)) this.fieldMismatch(entry, declared, type);
    }
  }

  private structType(node: StructNode, type: Type): Type {
    if (type.kind !== "type") {
      this.report(node.position, `'${type.name}' is not a type`);
      return ERROR;
    }
    if (type.first.kind === "struct") return type.first;
    this.report(node.position, `'${type.first.name}' is not a message type`);
    return ERROR;
  }

  private fieldMismatch(
    entry: { readonly position: number; readonly field: string },
    declared: Type,
    given: Type,
  ): void {
    const types = `is '${formatType(declared)}' but provided type is '${formatType(substitute(this.bindings, given, false))}'`;
    this.report(entry.position, `expected type of field '${entry.field}' ${types}`);
  }

  private comprehension(node: ComprehensionNode): void {
    this.check(node.range);
    this.check(node.init);
    const accumulated = typeOfNode(node.init);
    const variables = this.iterationTypes(node, substitute(this.bindings, typeOfNode(node.range), false));
    this.comprehensions++;
    this.scope.within(new Map([[node.accuVar, accumulated]]), () => {
      this.scope.within(variables, () => {
        this.check(node.condition);
        this.assertType(node.condition, BOOL);
        this.check(node.step);
        this.assertType(node.step, accumulated);
      });
      this.check(node.result);
    });
    node.type = substitute(this.bindings, typeOfNode(node.result), false);
  }

  private iterationTypes(node: ComprehensionNode, range: Type): ReadonlyMap<string, Type> {
    const [first, second] = this.elementTypes(node, range);
    return node.iterVar2 === ""
      ? new Map([[node.iterVar, first]])
      : new Map([
          [node.iterVar, first],
          [node.iterVar2, second],
        ]);
  }

  private elementTypes(node: ComprehensionNode, range: Type): readonly [Type, Type] {
    switch (range.kind) {
      case "list":
        return node.iterVar2 === "" ? [range.first, DYN] : [INT, range.first];
      case "map":
        return [range.first, range.second];
      case "dyn":
      case "error":
      case "param":
        this.unify(DYN, range);
        return [DYN, DYN];
      default:
        this.report(
          node.range.position,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  private assertType(node: Node, expected: Type): void {
    if (!this.unify(expected, typeOfNode(node))) this.mismatch(node, expected, typeOfNode(node));
  }

  private unify(a: Type, b: Type): boolean {
    const bindings = assign(this.bindings, a, b);
    if (bindings) this.bindings = bindings;
    return bindings !== undefined;
  }

  private newVariable(): Type {
    return typeParam(`_var${this.variables++}`);
  }

  private mismatch(node: Node, expected: Type, found: Type): void {
    this.report(node.position, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  private undeclared(position: number, name: string): void {
    this.report(position, `undeclared reference to '${name}' (in container '${this.scope.container}')`);
  }

  private report(position: number, message: string): void {
    this.issues.push({ ...locate(this.source, position), message });
  }
}

function typeOfNode(node: Node): Type {
  return node.type ?? ERROR;
}

function collectParams(type: Type, into: Set<string>): void {
  if (type.kind === "param") into.add(type.name);
  for (const param of type.params) collectParams(param, into);
}
