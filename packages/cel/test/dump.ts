/** A checked tree as cel-go dumps it, without white space: every node with its type and what it refers to. */

import type { Expression, Type } from "@capstan/cel";
import { CelUint } from "@capstan/cel";

type Node = Expression["node"];

export function dump(node: Node): string {
  return `${text(node)}${node.type ? `~${formatType(node.type)}` : ""}${reference(node)}`;
}

function text(node: Node): string {
  switch (node.kind) {
    case "literal":
      return literal(node.value);
    case "ident":
      return node.name;
    case "select":
      return node.resolved ?? `${dump(node.operand)}.${node.field}${node.test ? "~test-only~" : ""}`;
    case "call":
      return `${node.target ? `${dump(node.target)}.` : ""}${node.fn}(${node.args.map(dump).join(",")})`;
    case "list":
      return `[${node.elements.map(dump).join(",")}]`;
    case "map":
      return `{${node.entries.map((e) => `${e.optional ? "?" : ""}${dump(e.key)}:${dump(e.value)}`).join(",")}}`;
    case "struct":
      return `${node.name}{${node.fields.map((e) => `${e.optional ? "?" : ""}${e.field}:${dump(e.value)}`).join(",")}}`;
    case "comprehension":
      return comprehension(node);
  }
}

function comprehension(node: Extract<Node, { kind: "comprehension" }>): string {
  const parts: [string, string][] = [
    ["Variable", node.iterVar],
    ["Target", dump(node.range)],
    ["Accumulator", node.accuVar],
    ["Init", dump(node.init)],
    ["LoopCondition", dump(node.condition)],
    ["LoopStep", dump(node.step)],
    ["Result", dump(node.result)],
  ];
  return `__comprehension__(${parts.map(([name, part]) => `//${name}${part}`).join(",")})`;
}

function literal(value: Extract<Node, { kind: "literal" }>["value"]): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString("latin1"))}`;
  return Object.is(value, -0) ? "-0" : String(value);
}

function reference(node: Node): string {
  if (node.kind === "ident") return `^${node.name}`;
  if (node.kind === "select") return node.resolved === undefined ? "" : `^${node.resolved}`;
  if (node.kind === "call" && node.overloads?.length) return `^${[...node.overloads].sort(byText).join("|")}`;
  return "";
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** A type as error messages write it. */
export function formatType(type: Type): string {
  const short: Record<string, string> = { duration: "duration", timestamp: "timestamp", null: "null", any: "any" };
  const name = short[type.kind] ?? type.name;
  return type.params.length === 0 ? name : `${name}(${type.params.map(formatType).join(", ")})`;
}

/** What is left of a dump when layout and the name of the accumulator do not count. */
export function normalized(text: string): string {
  return text.replaceAll(/\s+/g, "").replaceAll("__result__", "@result");
}
