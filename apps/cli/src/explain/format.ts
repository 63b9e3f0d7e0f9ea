/** Turns of an object as people read them. */
import type { Cause, TurnRecord } from "@capstan/runtime";
import type { Style } from "../output/style.ts";

/** More fields than this are counted: a line is read, JSON output has them all. */
const MOST_FIELDS = 4;

/** The turns, the latest last. */
export function formatTurns(turns: readonly TurnRecord[], style: Style): string {
  return turns.map((turn) => formatTurn(turn, style)).join("\n");
}

function formatTurn(
  { at, causes, reads, writes, decisions, outcome, message, milliseconds, next }: TurnRecord,
  style: Style,
): string {
  const { bold, dim } = style;
  const lines = [
    `${bold(at)} ${outcome}${message === "" ? "" : `: ${message}`} ${dim(`(${Math.round(milliseconds)} ms)`)}`,
    ...causes.map((cause) => `  woken by  ${formatCause(cause)}`),
    ...(reads.length === 0 ? [] : [`  read      ${reads.join(", ")}`]),
    ...decisions.map((decision) => `  decided   ${decision}`),
    ...writes.map(
      ({ verb, kind, key, fields }) =>
        `  wrote     ${verb} ${kind} ${key}${fields.length === 0 ? "" : dim(` ${formatFields(fields)}`)}`,
    ),
    ...(next === "" ? [] : [`  next      ${next}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** A cause in words. */
function formatCause({ relation, change, kind, key, fields, manager }: Cause): string {
  const what = key === "" ? kind : `${kind} ${key} ${change}`;
  const where = fields.length === 0 ? "" : `: ${formatFields(fields)}`;
  return `${relation} ${what}${where}${manager === undefined ? "" : ` by ${manager}`}`;
}

/** Field paths, the first of them when there are many. */
export function formatFields(fields: readonly string[]): string {
  const shown = fields.length > MOST_FIELDS + 1 ? fields.slice(0, MOST_FIELDS) : fields;
  const left = fields.length - shown.length;
  return left === 0 ? shown.join(", ") : `${shown.join(", ")} and ${left} more`;
}
