/** The tokens under the parser's hand, with the repairs that ANTLR makes so that one slip is reported once. */

import { EXPRESSION, FOLLOWS_OPERAND, formatExpected } from "./expected.ts";
import type { Token, TokenKind } from "./lexer.ts";

/** Thrown where parsing cannot continue; the error is already reported. */
export class ParseStopError extends Error {
  override readonly name = "ParseStopError";
}

export type Report = (position: number, message: string) => void;

export class TokenStream {
  /** What may follow the operand in hand: one set for each bracket that is open. */
  readonly followers: (readonly TokenKind[])[] = [["<EOF>"]];
  private readonly tokens: readonly Token[];
  private readonly source: string;
  private readonly report: Report;
  private index = 0;
  /** True from an error until the next token is accepted: errors in between would be echoes. */
  private recovering = false;

  constructor(source: string, tokens: readonly Token[], report: Report) {
    this.source = source;
    this.tokens = tokens;
    this.report = report;
  }

  get current(): Token {
    return this.tokens[this.index] as Token;
  }

  peek(ahead = 1): Token {
    return this.tokens[Math.min(this.index + ahead, this.tokens.length - 1)] as Token;
  }

  is(kind: TokenKind): boolean {
    return this.current.kind === kind;
  }

  accept(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.next() : undefined;
  }

  next(): Token {
    const token = this.current;
    if (this.index < this.tokens.length - 1) this.index++;
    this.recovering = false;
    return token;
  }

  /** Takes a token that must be here; an extra one before it is dropped, a missing one assumed. */
  expect(kind: TokenKind): void {
    if (this.accept(kind)) return;
    const found = this.current;
    if (this.peek().kind === kind) {
      this.complain(`extraneous input '${found.text}' expecting ${formatExpected([kind])}`);
      this.next();
      this.next();
      return;
    }
    if (this.canFollow(kind, found.kind)) {
      this.complain(`missing ${formatExpected([kind])} at '${found.text}'`);
      return;
    }
    this.complain(`mismatched input '${found.text}' expecting ${formatExpected([kind])}`);
    this.stop();
  }

  /** Takes a field name; one bad token before it is dropped. */
  expectName(alsoExpected: readonly TokenKind[]): Token {
    const found = this.current;
    const name = this.accept("IDENTIFIER") ?? this.accept("ESC_IDENTIFIER");
    if (name) return name;
    const expected = formatExpected([...alsoExpected, "IDENTIFIER", "ESC_IDENTIFIER"]);
    if (this.peek().kind === "IDENTIFIER") {
      this.complain(`extraneous input '${found.text}' expecting ${expected}`);
      this.next();
      return this.next();
    }
    this.complain(`mismatched input '${found.text}' expecting ${expected}`);
    return this.stop();
  }

  /** Takes the closing bracket of a list, where a comma is also possible. */
  expectCloser(closer: TokenKind): void {
    if (this.accept(closer)) return;
    const found = this.current;
    const after = this.peek().kind;
    const expected = formatExpected([closer, ","]);
    if (after === closer || after === ",") {
      this.complain(`extraneous input '${found.text}' expecting ${expected}`);
      this.next();
      this.accept(",");
      this.expect(closer);
      return;
    }
    this.complain(`mismatched input '${found.text}' expecting ${expected}`);
    this.stop();
  }

  /** Skips a useless token right after an error, because any error about it would only repeat that one. Returns whether it did. */
  skipEcho(follows: readonly TokenKind[]): boolean {
    if (!this.recovering || follows.includes(this.peek().kind)) return false;
    this.index++;
    return true;
  }

  /** Reports that no operand begins here; one bad token is skipped when an operand follows it. Returns whether to try again. */
  missingOperand(alsoExpected: readonly TokenKind[]): boolean {
    const found = this.current;
    const expected = formatExpected([...EXPRESSION, ...alsoExpected]);
    if (found.kind !== "<EOF>" && EXPRESSION.includes(this.peek().kind)) {
      this.complain(`extraneous input '${found.text}' expecting ${expected}`);
      this.next();
      return true;
    }
    this.complain(`mismatched input '${found.text}' expecting ${expected}`);
    this.skipToFollower();
    return false;
  }

  /** Drops one bad token that stands alone between brackets. */
  dropBefore(closer: TokenKind, alsoExpected: readonly TokenKind[]): void {
    const { kind, text } = this.current;
    if (this.peek().kind !== closer || EXPRESSION.includes(kind) || alsoExpected.includes(kind) || kind === "<EOF>")
      return;
    this.complain(`extraneous input '${text}' expecting ${formatExpected([...EXPRESSION, ...alsoExpected])}`);
    this.next();
  }

  /** Reports that no operand follows a minus sign; the current token is then parsed again. */
  noViableSign(sign: Token): void {
    const isOperand = EXPRESSION.includes(this.current.kind);
    this.noViable(sign);
    if (!isOperand) this.recovering = false;
  }

  /** Says that what began at a token leads nowhere. */
  noViable(from: Token): void {
    const found = this.current;
    if (found.kind === "true" || found.kind === "false" || found.kind === "null") {
      this.complain(`mismatched input '${found.text}' expecting IDENTIFIER`);
    } else {
      const end = found.kind === "<EOF>" ? this.source.length : found.position + found.text.length;
      this.complain(`no viable alternative at input '${escapeSpace(this.source.slice(from.position, end))}'`);
    }
    this.skipToFollower();
  }

  complain(message: string): void {
    if (this.recovering) return;
    this.recovering = true;
    this.report(this.current.position, `Syntax error: ${message}`);
  }

  stop(): never {
    throw new ParseStopError("the expression cannot be parsed");
  }

  /** Whether `found` could come after a missing `kind`. */
  private canFollow(kind: TokenKind, found: TokenKind): boolean {
    if (kind === ":") return EXPRESSION.includes(found);
    const outer = this.followers.at(kind === "<EOF>" ? -1 : -2) ?? [];
    return FOLLOWS_OPERAND.has(found) || outer.includes(found);
  }

  private skipToFollower(): void {
    const followers = new Set(this.followers.flat());
    while (!this.is("<EOF>") && !FOLLOWS_OPERAND.has(this.current.kind) && !followers.has(this.current.kind))
      this.index++;
  }
}

function escapeSpace(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}
