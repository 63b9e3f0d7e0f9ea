/** Formats the reconciles of an object. */
import type { ReconcileTrigger, ReconcileRecord } from "@capstan/runtime";
import { type Style, styleOf } from "../output/style.ts";
import { wrap } from "../output/wrap.ts";
import type { Terminal } from "../terminal.ts";

/** Further fields are only counted; JSON output has all of them. */
const MOST_FIELDS = 4;

/** The indent of the facts of a reconcile. */
const INDENT = 12;

/** The style and width of the output; without a terminal, lines are not wrapped. */
export interface Paper {
  readonly style: Style;
  readonly columns: number;
}

/** The style and width of a terminal. */
export function paperOf(terminal: Pick<Terminal, "color" | "columns" | "isInteractive">): Paper {
  return { style: styleOf(terminal), columns: terminal.isInteractive ? terminal.columns : Number.POSITIVE_INFINITY };
}

/** The reconciles, the latest last. */
export function formatReconciles(reconciles: readonly ReconcileRecord[], paper: Paper): string {
  return reconciles.map((reconcile) => formatReconcile(reconcile, paper)).join("\n");
}

function formatReconcile(
  {
    at,
    triggers,
    reads,
    writes,
    decisions,
    warnings = [],
    outcome,
    message,
    where,
    milliseconds,
    next,
  }: ReconcileRecord,
  { style: { bold, dim }, columns }: Paper,
): string {
  const facts: readonly (readonly [string, string])[] = [
    ...triggers.map((trigger) => ["woken by", formatTrigger(trigger)] as const),
    ...(reads.length === 0 ? [] : [["read", reads.join(", ")] as const]),
    ...decisions.map((decision) => ["decided", decision] as const),
    ...writes.map(({ verb, kind, key, fields }) => {
      const which = fields.length === 0 ? "" : ` ${formatFields(fields)}`;
      return ["wrote", `${verb} ${kind} ${key}${which}`] as const;
    }),
    ...warnings.map((warning) => ["warning", warning] as const),
    ...(where === undefined ? [] : [["at", where] as const]),
    ...(next === "" ? [] : [["next", next] as const]),
  ];
  const lines = [
    `${bold(at)} ${outcome}${message === "" ? "" : `: ${message}`} ${dim(`(${Math.round(milliseconds)} ms)`)}`,
    ...facts.map(
      ([what, text]) => `  ${what.padEnd(8)}  ${wrap(text, columns - INDENT).join(`\n${" ".repeat(INDENT)}`)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** A trigger as text. */
function formatTrigger({ relation, change, kind, key, fields, manager }: ReconcileTrigger): string {
  const what = key === "" ? kind : `${kind} ${key} ${change}`;
  const where = fields.length === 0 ? "" : `: ${formatFields(fields)}`;
  return `${relation} ${what}${where}${manager === undefined ? "" : ` by ${manager}`}`;
}

/** Field paths; only the first ones if there are many. */
export function formatFields(fields: readonly string[]): string {
  const shown = fields.length > MOST_FIELDS + 1 ? fields.slice(0, MOST_FIELDS) : fields;
  const left = fields.length - shown.length;
  return left === 0 ? shown.join(", ") : `${shown.join(", ")} and ${left} more`;
}
