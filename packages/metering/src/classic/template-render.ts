/** Renders parsed templates. */
import { MeterError } from "../error.ts";
import type { Expression, Node } from "./template-parse.ts";

/** Functions by name. */
export type Functions = { readonly [name: string]: (...given: readonly unknown[]) => unknown };

interface Scope {
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
  readonly functions: Functions;
}

/** Renders with a value for the dot. */
export function renderTemplate(nodes: readonly Node[], dot: unknown, functions: Functions): string {
  return render(nodes, { dot, variables: new Map([["", dot]]), functions });
}

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes.map((node) => renderNode(node, scope)).join("");
}

function renderNode(node: Node, scope: Scope): string {
  switch (node.type) {
    case "text":
      return node.text;
    case "print":
      return show(evaluate(node.what, scope));
    case "assign":
      scope.variables.set(node.name, evaluate(node.what, scope));
      return "";
    case "if":
      return render(isTrue(evaluate(node.what, scope)) ? node.then : node.otherwise, inner(scope));
    case "with": {
      const value = evaluate(node.what, scope);
      return isTrue(value) ? render(node.then, { ...inner(scope), dot: value }) : render(node.otherwise, inner(scope));
    }
    case "range":
      return renderRange(node, scope);
  }
}

/** Variables that are set inside end there; those of outside may be changed, which no report query does. */
function inner(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables) };
}

function renderRange(node: Extract<Node, { type: "range" }>, scope: Scope): string {
  const value = evaluate(node.what, scope);
  const entries = entriesOf(value);
  if (entries.length === 0) return render(node.otherwise, inner(scope));
  return entries
    .map(([key, item]) => {
      const each = { ...inner(scope), dot: item };
      const [first, second] = node.names;
      if (first !== undefined) each.variables.set(first, second === undefined ? item : key);
      if (second !== undefined) each.variables.set(second, item);
      return render(node.then, each);
    })
    .join("");
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, at) => [at, item] as const);
  if (typeof value === "object") return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  throw failed(`range can't iterate over ${show(value)}`);
}

function failed(message: string): MeterError {
  return new MeterError("BadInput", `error executing template: ${message}`);
}

function evaluate(what: Expression, scope: Scope): unknown {
  switch (what.type) {
    case "value":
      return what.value;
    case "variable":
      if (!scope.variables.has(what.name)) throw failed(`undefined variable "$${what.name}"`);
      return scope.variables.get(what.name);
    case "field":
      return what.names.reduce(memberOf, what.of === undefined ? scope.dot : evaluate(what.of, scope));
    case "call":
      return call(what, scope, []);
    case "pipe":
      return what.stages.reduce<{ readonly value: readonly unknown[] }>(
        ({ value }, stage) => ({ value: [evaluateStage(stage, scope, value)] }),
        { value: [] },
      ).value[0];
  }
}

function evaluateStage(stage: Expression, scope: Scope, last: readonly unknown[]): unknown {
  if (last.length === 0) return evaluate(stage, scope);
  if (stage.type !== "call") throw failed("can't give argument to non-function");
  return call(stage, scope, last);
}

function call({ name, given }: Extract<Expression, { type: "call" }>, scope: Scope, last: readonly unknown[]): unknown {
  const run = Object.hasOwn(scope.functions, name) ? scope.functions[name] : undefined;
  if (run === undefined) throw new MeterError("BadInput", `error parsing query: function "${name}" not defined`);
  return run(...given.map((one) => evaluate(one, scope)), ...last);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) {
    if (value === undefined || value === null) throw failed(`nil pointer evaluating interface {}.${name}`);
    throw failed(`can't evaluate field ${name}`);
  }
  return Object.hasOwn(value, name) ? (value as { readonly [name: string]: unknown })[name] : undefined;
}

/** As Go's templates: zero values are false. */
export function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Date) return true;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** A value as text. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return "<no value>";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value instanceof Date) return `${value.toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
  if (Array.isArray(value)) return `[${value.map(show).join(" ")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, item]) => `${name}:${show(item)}`).join(" ")}]`;
}
