/** Turns the text of an expression into its tree, expanding macros on the way. */

import type { Issue } from "../source.ts";
import { locate } from "../source.ts";
import { codePointCount } from "../values/value.ts";
import type { FieldEntry, MapEntry, Node } from "./ast.ts";
import { MAX_DEPTH, NodeBuilder, NOWHERE } from "./builder.ts";
import { EXPRESSION } from "./expected.ts";
import type { Token, TokenKind } from "./lexer.ts";
import { tokenize } from "./lexer.ts";
import { LiteralError, literalValue } from "./literals.ts";
import type { Macro } from "./macros.ts";
import type { Report } from "./token-stream.ts";
import { ParseStopError, TokenStream } from "./token-stream.ts";

/** How much source and nesting the parser takes, and what syntax is on. */
export interface ParseOptions {
  /** By macroKey. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** `a.?b`, `a[?b]`, `[?a]` and `{?a: b}`. */
  readonly optionalSyntax: boolean;
  /** Backquoted field names. */
  readonly escapedFields: boolean;
}

/** The tree, or the errors of the text. */
export interface ParseResult {
  readonly node: Node;
  readonly issues: readonly Issue[];
}

const MAX_CODE_POINTS = 100_000;

export function parse(source: string, options: ParseOptions): ParseResult {
  const issues: Issue[] = [];
  const report = (position: number, message: string): void => {
    issues.push({ ...locate(source, position), message });
  };
  if (source.length > MAX_CODE_POINTS && codePointCount(source) > MAX_CODE_POINTS) {
    report(-1, `expression code point size exceeds limit: size: ${codePointCount(source)}, limit ${MAX_CODE_POINTS}`);
    return { node: NOWHERE, issues };
  }
  const { tokens, errors } = tokenize(source);
  for (const error of errors) report(error.position, `Syntax error: token recognition error at: '${error.text}'`);
  const parser = new Parser(new TokenStream(source, tokens, report), options, report);
  try {
    return { node: parser.parseAll(), issues };
  } catch (error) {
    if (!(error instanceof ParseStopError)) throw error;
    return { node: NOWHERE, issues };
  }
}

const RELATIONS: ReadonlyMap<TokenKind, string> = new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">", "_>_"],
  [">=", "_>=_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"],
]);
const SUMS: ReadonlyMap<TokenKind, string> = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
]);
const PRODUCTS: ReadonlyMap<TokenKind, string> = new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
]);

const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

class Parser {
  private readonly tokens: TokenStream;
  private readonly options: ParseOptions;
  private readonly report: Report;
  private readonly build: NodeBuilder;
  private depth = 0;
  /** The beginning of the innermost expression, and the other tokens that are possible there. */
  private opening: { position: number; alsoExpected: readonly TokenKind[] } = { position: -1, alsoExpected: [] };
  /** Above zero inside an entry that was rejected already. */
  private muted = 0;

  constructor(tokens: TokenStream, options: ParseOptions, report: Report) {
    this.tokens = tokens;
    this.options = options;
    this.report = (position, message) => {
      if (this.muted === 0) report(position, message);
    };
    this.build = new NodeBuilder(options.macros, this.report);
  }

  parseAll(): Node {
    const node = this.expression();
    if (!this.tokens.is("<EOF>")) this.tokens.expect("<EOF>");
    return node;
  }

  /** An expression; `alsoExpected` lists the other tokens that are possible at its beginning. */
  private expression(alsoExpected: readonly TokenKind[] = []): Node {
    this.opening = { position: this.tokens.current.position, alsoExpected };
    if (++this.depth > MAX_DEPTH) this.build.giveUp(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = this.disjunction();
    const node = this.tokens.is("?") ? this.conditional(condition) : condition;
    this.depth--;
    return node;
  }

  private conditional(condition: Node): Node {
    const question = this.tokens.next();
    this.tokens.followers.push([":"]);
    const truthy = this.disjunction();
    this.tokens.followers.pop();
    this.tokens.expect(":");
    const falsy = this.expression();
    return this.build.compound({
      kind: "call",
      position: question.position,
      fn: "_?_:_",
      target: undefined,
      args: [condition, truthy, falsy],
    });
  }

  private disjunction(): Node {
    return this.logical("||", "_||_", () => this.conjunction());
  }

  private conjunction(): Node {
    return this.logical("&&", "_&&_", () => this.relation());
  }

  /** A chain of one logical operator becomes a balanced tree, so that its depth is the logarithm of its length. */
  private logical(kind: TokenKind, fn: string, term: () => Node): Node {
    const terms = [term()];
    const positions: number[] = [];
    for (let operator = this.tokens.accept(kind); operator; operator = this.tokens.accept(kind)) {
      positions.push(operator.position);
      terms.push(term());
    }
    return terms.length === 1 ? (terms[0] as Node) : this.balance({ fn, terms, positions }, 0, positions.length - 1);
  }

  private balance(chain: { fn: string; terms: Node[]; positions: number[] }, low: number, high: number): Node {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? (chain.terms[middle] as Node) : this.balance(chain, low, middle - 1);
    const right = middle === high ? (chain.terms[middle + 1] as Node) : this.balance(chain, middle + 1, high);
    return this.build.plain({
      kind: "call",
      position: chain.positions[middle] as number,
      fn: chain.fn,
      target: undefined,
      args: [left, right],
    });
  }

  private relation(): Node {
    return this.binary(RELATIONS, () => this.binary(SUMS, () => this.binary(PRODUCTS, () => this.unary())));
  }

  private binary(operators: ReadonlyMap<TokenKind, string>, operand: () => Node): Node {
    let left = operand();
    for (let fn = operators.get(this.tokens.current.kind); fn; fn = operators.get(this.tokens.current.kind)) {
      const { position } = this.tokens.next();
      left = this.build.compound({ kind: "call", position, fn, target: undefined, args: [left, operand()] });
    }
    return left;
  }

  private unary(): Node {
    if (this.tokens.is("!")) return this.repeated("!", "!_");
    const negativeLiteral = this.tokens.is("-") && /^NUM_(INT|FLOAT)$/.test(this.tokens.peek().kind);
    if (this.tokens.is("-") && !negativeLiteral) return this.repeated("-", "-_");
    return this.member(this.primary());
  }

  /** An even number of the same sign cancels itself out. */
  private repeated(kind: "!" | "-", fn: string): Node {
    const first = this.tokens.next();
    let last = first;
    let count = 1;
    for (let next = this.tokens.accept(kind); next; next = this.tokens.accept(kind)) {
      last = next;
      count++;
    }
    if (kind === "-" && !isOperandStart(this.tokens.current.kind)) this.tokens.noViableSign(last);
    else if (kind === "!" && this.tokens.is("<EOF>")) this.missingAfterNot();
    const operand = this.member(this.primary());
    return count % 2 === 0
      ? operand
      : this.build.plain({ kind: "call", position: first.position, fn, target: undefined, args: [operand] });
  }

  private missingAfterNot(): never {
    const expected = EXPRESSION.map((kind) => (/^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`)).join(", ");
    this.tokens.complain(`extraneous input '<EOF>' expecting {${expected}}`);
    return this.tokens.stop();
  }

  private member(operand: Node): Node {
    let node = operand;
    for (;;) {
      if (this.tokens.is(".")) node = this.selection(node);
      else if (this.tokens.is("[")) node = this.index(node);
      else return node;
    }
  }

  private selection(operand: Node): Node {
    if (this.tokens.skipEcho(["?", "IDENTIFIER", "ESC_IDENTIFIER"])) return operand;
    const dot = this.tokens.next();
    const optional = this.tokens.accept("?");
    const name = this.tokens.accept("IDENTIFIER") ?? this.tokens.accept("ESC_IDENTIFIER");
    if (!name) {
      this.tokens.noViable(dot);
      return operand;
    }
    if (!optional && name.kind === "IDENTIFIER" && this.tokens.is("(")) return this.memberCall(operand, name.text);
    const field = this.fieldName(name);
    if (!optional) return this.build.compound({ kind: "select", position: dot.position, operand, field, test: false });
    if (!this.options.optionalSyntax) return this.build.bad(dot.position, "unsupported syntax '.?'");
    const fieldNode: Node = { kind: "literal", position: name.position, value: field };
    return this.build.compound({
      kind: "call",
      position: dot.position,
      fn: "_?._",
      target: undefined,
      args: [operand, fieldNode],
    });
  }

  private fieldName(token: Token): string {
    if (token.kind !== "ESC_IDENTIFIER") return token.text;
    if (!this.options.escapedFields) this.report(token.position, "unsupported syntax: '`'");
    return token.text.slice(1, -1);
  }

  private memberCall(target: Node, fn: string): Node {
    const open = this.tokens.next();
    const args = this.args();
    return this.build.call(open.position, fn, target, args);
  }

  private args(): Node[] {
    this.tokens.followers.push([")", ","]);
    this.tokens.dropBefore(")", [")"]);
    const args: Node[] = [];
    if (!this.tokens.is(")")) {
      args.push(this.expression([")"]));
      while (this.tokens.accept(",")) args.push(this.expression());
    }
    this.tokens.expect(")");
    this.tokens.followers.pop();
    return args;
  }

  private index(operand: Node): Node {
    const open = this.tokens.next();
    const optional = this.tokens.accept("?");
    this.tokens.followers.push(["]"]);
    const key = this.expression(optional ? [] : ["?"]);
    this.tokens.expect("]");
    this.tokens.followers.pop();
    if (optional && !this.options.optionalSyntax) return this.build.bad(open.position, "unsupported syntax '[?'");
    const fn = optional ? "_[?_]" : "_[_]";
    return this.build.compound({ kind: "call", position: open.position, fn, target: undefined, args: [operand, key] });
  }

  private primary(): Node {
    const token = this.tokens.current;
    switch (token.kind) {
      case "(":
        return this.nested();
      case "[":
        return this.list();
      case "{":
        return this.map();
      case ".":
      case "IDENTIFIER":
        return this.named();
      default:
        if (isLiteralStart(token.kind)) return this.literal();
        if (this.tokens.missingOperand(this.alsoExpected())) return this.primary();
        if (this.tokens.is("<EOF>")) this.tokens.stop();
        return { ...NOWHERE };
    }
  }

  private alsoExpected(): readonly TokenKind[] {
    return this.opening.position === this.tokens.current.position ? this.opening.alsoExpected : [];
  }

  private nested(): Node {
    this.tokens.next();
    this.tokens.followers.push([")"]);
    const node = this.expression();
    this.tokens.expect(")");
    this.tokens.followers.pop();
    return node;
  }

  private list(): Node {
    const open = this.tokens.next();
    const elements: Node[] = [];
    const optionals = new Set<number>();
    this.tokens.followers.push(["]", ","]);
    const alsoExpected: TokenKind[] = ["]", ",", "?"];
    this.tokens.dropBefore("]", alsoExpected);
    while (!this.tokens.is("]") && !this.trailingComma("]", elements.length)) {
      const optional = this.optionalMark();
      elements.push(this.expression(elements.length === 0 && !optional ? alsoExpected : []));
      if (optional) optionals.add(elements.length - 1);
      if (!this.tokens.accept(",")) break;
    }
    this.tokens.expectCloser("]");
    this.tokens.followers.pop();
    return this.build.plain({ kind: "list", position: open.position, elements, optionals });
  }

  /** `[,]` and `{,}` are empty. */
  private trailingComma(closer: TokenKind, count: number): boolean {
    if (count > 0 || !this.tokens.is(",") || this.tokens.peek().kind !== closer) return false;
    this.tokens.next();
    return true;
  }

  private optionalMark(): boolean {
    const mark = this.tokens.accept("?");
    if (mark && !this.options.optionalSyntax) this.report(mark.position, "unsupported syntax '?'");
    return mark !== undefined;
  }

  private map(): Node {
    const open = this.tokens.next();
    const entries: MapEntry[] = [];
    const alsoExpected: TokenKind[] = ["}", ",", "?"];
    this.tokens.dropBefore("}", alsoExpected);
    while (!this.tokens.is("}") && !this.trailingComma("}", entries.length)) {
      entries.push(this.mapEntry(entries.length === 0 ? alsoExpected : []));
      if (!this.tokens.accept(",")) break;
    }
    this.tokens.expectCloser("}");
    return this.build.plain({ kind: "map", position: open.position, entries });
  }

  private mapEntry(alsoExpected: readonly TokenKind[]): MapEntry {
    const optional = this.optionalMark();
    if (optional && !this.options.optionalSyntax) this.muted++;
    this.tokens.followers.push([":"]);
    const key = this.expression(optional ? [] : alsoExpected);
    this.tokens.followers.pop();
    const { position } = this.tokens.current;
    this.tokens.expect(":");
    const value = this.entryValue();
    if (optional && !this.options.optionalSyntax) this.muted--;
    return { position, key, value, optional };
  }

  private entryValue(): Node {
    this.tokens.followers.push(["}", ","]);
    const value = this.expression();
    this.tokens.followers.pop();
    return value;
  }

  /** An identifier, a call or an object literal, perhaps with a leading dot. */
  private named(): Node {
    const dot = this.tokens.accept(".");
    const name = this.tokens.accept("IDENTIFIER");
    if (!name) {
      this.tokens.noViable(dot ?? this.tokens.current);
      return { ...NOWHERE };
    }
    const prefix = dot ? "." : "";
    const objectName = this.objectName(name.text);
    if (objectName !== undefined) return this.struct(prefix + objectName);
    if (RESERVED.has(name.text)) {
      if (this.tokens.is("(")) this.memberCall({ ...NOWHERE }, name.text);
      return this.build.bad(dot?.position ?? name.position, `reserved identifier: ${name.text}`);
    }
    if (!this.tokens.is("(")) return { kind: "ident", position: name.position, name: prefix + name.text };
    const open = this.tokens.next();
    return this.build.call(open.position, prefix + name.text, undefined, this.args());
  }

  /** The qualified name when names joined by dots lead up to a `{`; the names are then consumed. */
  private objectName(first: string): string | undefined {
    let ahead = 0;
    let name = first;
    const at = (offset: number): Token => (offset === 0 ? this.tokens.current : this.tokens.peek(offset));
    while (at(ahead).kind === "." && at(ahead + 1).kind === "IDENTIFIER") {
      name += `.${at(ahead + 1).text}`;
      ahead += 2;
    }
    if (at(ahead).kind !== "{") return undefined;
    for (let taken = 0; taken < ahead; taken++) this.tokens.next();
    return name;
  }

  private struct(name: string): Node {
    const open = this.tokens.next();
    const fields: FieldEntry[] = [];
    this.tokens.followers.push(["}", ","]);
    while (!this.tokens.is("}") && !this.trailingComma("}", fields.length)) {
      fields.push(this.fieldEntry());
      if (!this.tokens.accept(",")) break;
      if (!["IDENTIFIER", "ESC_IDENTIFIER", "?"].includes(this.tokens.current.kind)) this.tokens.expect("}");
    }
    this.tokens.expectCloser("}");
    this.tokens.followers.pop();
    return this.build.plain({ kind: "struct", position: open.position, name, fields });
  }

  private fieldEntry(): FieldEntry {
    const optional = this.optionalMark();
    const name = this.tokens.expectName(optional ? [] : ["}", ",", "?"]);
    const field = this.fieldName(name);
    const { position } = this.tokens.current;
    this.tokens.expect(":");
    return { position, field, value: this.entryValue(), optional };
  }

  private literal(): Node {
    const { position } = this.tokens.current;
    const negative = this.tokens.accept("-") !== undefined;
    const token = this.tokens.next();
    try {
      return { kind: "literal", position, value: literalValue(token, negative) };
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      return this.build.bad(position, error.message);
    }
  }
}

function isLiteralStart(kind: TokenKind): boolean {
  return (EXPRESSION.includes(kind) && !["[", "{", "(", ".", "!", "IDENTIFIER"].includes(kind)) || kind === "-";
}

function isOperandStart(kind: TokenKind): boolean {
  return EXPRESSION.includes(kind) && kind !== "!" && kind !== "-";
}
