import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureAt as shownAt } from "./signature.ts";

/** What is shown for a line of a file that has this text, in which interfaces are found by their names. */
function signatureAt(text: string, line: number): string {
  const find = (name: string): { readonly file: string; readonly line: number } | undefined => {
    const at = text.split("\n").findIndex((each) => each.includes(`interface ${name}`));
    return at < 0 ? undefined : { file: "a.ts", line: at + 1 };
  };
  return shownAt({ file: "a.ts", line }, { read: () => text, find });
}

test("a function is shown without its body, also with a literal as its result", () => {
  assert.equal(
    signatureAt("export function one(a: string): number {\n  return 1;\n}\n", 1),
    "function one(a: string): number;",
  );
  const long =
    "export async function two(\n  a: string,\n): Promise<{\n  readonly b: number;\n}> {\n  return f();\n}\n";
  assert.equal(signatureAt(long, 1), "function two(\n  a: string,\n): Promise<{\n  readonly b: number;\n}>;");
});

test("a function with overloads is shown as its overloads", () => {
  const text =
    "export function one(a: string): void;\n/** B. */\nexport function one(a: number): void;\nexport function one(): void {\n}\n";
  assert.equal(signatureAt(text, 1), "function one(a: string): void;\nfunction one(a: number): void;");
});

test("a class is shown with its public members and their comments", () => {
  const text = `export class Shop extends Base {
  readonly name: string;
  #hidden = 1;

  constructor(name: string) {
    this.name = name;
  }

  /** Sells. */
  sell(count: number): void {
    if (count > 1) {
      this.#count(count);
    }
  }

  /** Counts. */
  #count(count: number): void {
    this.#hidden = count;
  }
}
`;
  const shown = [
    "class Shop extends Base {",
    "  readonly name: string;",
    "  constructor(name: string);",
    "  /** Sells. */",
    "  sell(count: number): void;",
    "}",
  ];
  assert.equal(signatureAt(text, 1), shown.join("\n"));
});

test("an interface comes with the interface of its file that it extends", () => {
  const text =
    "interface Base<T> {\n  /** A. */\n  readonly a: T;\n}\n\nexport interface Whole extends Base<string> {\n  readonly b: number;\n}\n";
  assert.equal(
    signatureAt(text, 6),
    "interface Whole extends Base<string> {\n  readonly b: number;\n}\n\ninterface Base<T> {\n  /** A. */\n  readonly a: T;\n}",
  );
});

test("a union ends with its semicolon, and a value shows its type", () => {
  assert.equal(
    signatureAt('export type U =\n  /** A; */\n  | "a"\n  | { readonly b: string };\nconst x = 1;\n', 1),
    'type U =\n  /** A; */\n  | "a"\n  | { readonly b: string };',
  );
  assert.equal(
    signatureAt("export const words: Words = {\n  a: 1,\n};\n\ninterface Words {\n  a: number;\n}\n", 1),
    "const words: Words;\n\ninterface Words {\n  a: number;\n}",
  );
  assert.equal(signatureAt("export const one = (n: number): number => n;\n", 1), "const one = (n: number): number;");
});

test("a function comes with the types of its parameters, but not of its result", () => {
  const text =
    "export function one(a: Input): Output {\n}\n\ninterface Input {\n  a: string;\n}\n\ninterface Output {\n  b: string;\n}\n";
  assert.equal(signatureAt(text, 1), "function one(a: Input): Output;\n\ninterface Input {\n  a: string;\n}");
});
