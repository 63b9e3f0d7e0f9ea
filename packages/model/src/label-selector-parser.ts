/** Parses label selectors of query parameters: `app=web,tier in (a,b),!legacy`. */
import { format, formatAll } from "./field-error.ts";
import type { LabelOperator, LabelRequirement } from "./label-selector.ts";
import { binaryOperators, checkKey, checkRequirement, sortedByKey } from "./label-selector.ts";
import { ParseError } from "./parse-error.ts";

type TokenType = "end" | "identifier" | "in" | "notin" | "(" | ")" | "," | "!" | "=" | "==" | "!=" | "<" | ">";

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const space = /[ \t\r\n]/;
const symbol = /[=!(),<>]/;
const delimiter = /[=!(),<> \t\r\n\0]/;

/** The requirements of a selector text, sorted by key; throws a {@link ParseError} with the server's message. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return sortedByKey(new Parser(text).parse());
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (space.test(text.charAt(at))) at++;
    const char = text.charAt(at);
    if (char === "" || char === "\0") break;
    const token = symbol.test(char) ? scanSymbol(text, at) : scanWord(text, at);
    tokens.push(token);
    at += token.text.length;
    // A null character ends a token and is skipped with it.
    if (text.charAt(at) === "\0") at++;
  }
  tokens.push({ type: "end", text: "" });
  return tokens;
}

function scanSymbol(text: string, at: number): Token {
  const two = text.slice(at, at + 2);
  if (two === "==" || two === "!=") return { type: two, text: two };
  const one = text.charAt(at);
  return { type: one as TokenType, text: one };
}

function scanWord(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !delimiter.test(text.charAt(end))) end++;
  const word = text.slice(at, end);
  return { type: word === "in" || word === "notin" ? word : "identifier", text: word };
}

const operators: Partial<Record<TokenType, LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

class Parser {
  private readonly input: string;
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(input: string) {
    this.input = input;
    this.tokens = scan(input);
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const next = this.peek();
      if (next.type === "end") return requirements;
      if (!startsRequirement(next)) this.refuse(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.requirement());
      const after = this.take();
      if (after.type === "end") return requirements;
      if (after.type !== ",") this.refuse(`found '${after.text}', expected: ',' or 'end of string'`);
      const follower = this.peek();
      if (!startsRequirement(follower)) this.refuse(`found '${follower.text}', expected: identifier after ','`);
    }
  }

  private requirement(): LabelRequirement {
    const negated = this.peek().type === "!";
    if (negated) this.position++;
    const key = this.key();
    if (negated) return this.checked({ key, operator: "!", values: [] });
    const next = this.peek().type;
    if (next === "end" || next === ",") return this.checked({ key, operator: "exists", values: [] });
    const operator = this.operator();
    const values = operator === "in" || operator === "notin" ? this.valueSet() : [this.exactValue()];
    return this.checked({ key, operator, values });
  }

  private key(): string {
    const token = this.take();
    if (token.type !== "identifier") this.refuseRequirement(`found '${token.text}', expected: identifier`);
    // The server checks the key before it knows the path of the selector in an object, hence the odd path.
    const [error] = checkKey(token.text, "<nil>");
    if (error !== undefined) this.refuseRequirement(format(error));
    return token.text;
  }

  private checked(requirement: LabelRequirement): LabelRequirement {
    const errors = checkRequirement(requirement);
    if (errors.length > 0) this.refuseRequirement(formatAll(errors));
    return requirement;
  }

  private operator(): LabelOperator {
    const token = this.tokens[this.position++] ?? end;
    const operator = operators[token.type];
    if (operator === undefined) {
      this.refuseRequirement(`found '${token.text}', expected: ${binaryOperators.join(", ")}`);
    }
    return operator;
  }

  private exactValue(): string {
    const next = this.peek();
    if (next.type === "end" || next.type === ",") return "";
    this.position++;
    if (next.type !== "identifier") this.refuseRequirement(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  private valueSet(): string[] {
    const open = this.take();
    if (open.type !== "(") this.refuseRequirement(`found '${open.text}' expected: '('`);
    const first = this.peek();
    if (first.type === ")") {
      this.position++;
      return [""];
    }
    if (first.type !== "identifier" && first.type !== ",") {
      this.refuseRequirement(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.valueList();
    this.position++;
    return [...values].sort();
  }

  /** The values up to the closing parenthesis, which is not consumed; a missing value between commas is the empty one. */
  private valueList(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.take();
      const next = this.peek();
      if (token.type === "identifier") {
        values.add(token.text);
        if (next.type === ")") return values;
        if (next.type !== ",") this.refuseRequirement(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.type === ",") {
        if (values.size === 0 || next.type === "," || next.type === ")") values.add("");
        if (next.type === ")") return values;
      } else {
        this.refuseRequirement(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  /** The next token; where no operator is expected, `in` and `notin` are ordinary words. */
  private peek(): Token {
    const token = this.tokens[this.position] ?? end;
    return token.type === "in" || token.type === "notin" ? { type: "identifier", text: token.text } : token;
  }

  private take(): Token {
    const token = this.peek();
    this.position++;
    return token;
  }

  private refuseRequirement(reason: string): never {
    this.refuse(`unable to parse requirement: ${reason}`);
  }

  private refuse(message: string): never {
    throw new ParseError("InvalidLabelSelector", this.input, message);
  }
}

const end: Token = { type: "end", text: "" };

function startsRequirement(token: Token): boolean {
  return token.type === "identifier" || token.type === "!";
}
