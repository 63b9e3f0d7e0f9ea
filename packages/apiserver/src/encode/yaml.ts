/** YAML as Go's library writes it: sorted keys, and the same quotes. */
import { quote, toGoJson } from "@capstan/model";
import type { JsonValue } from "../builtin/draft.ts";
import { compareKeys } from "./yaml-key-order.ts";

const width = 80;

/** The order of an object's keys: sorted, as for API objects, or as given. */
export type KeyOrder = "sorted" | "given";

/** A JSON value as a YAML document. */
export function toYaml(value: JsonValue, order: KeyOrder = "sorted"): string {
  if (typeof value !== "object" || value === null) return `${scalar(value, 0)}\n`;
  const lines: string[] = [];
  if (isEmpty(value)) lines.push(Array.isArray(value) ? "[]" : "{}");
  else writeBlock(value, { indent: "", lines, order });
  return `${lines.join("\n")}\n`;
}

type Block = JsonValue[] | { [key: string]: JsonValue | undefined };

function isEmpty(value: Block): boolean {
  return Object.keys(value).length === 0;
}

/** The position and style of the current lines. */
interface Place {
  readonly indent: string;
  readonly lines: string[];
  readonly order: KeyOrder;
}

function writeBlock(value: Block, place: Place): void {
  if (Array.isArray(value)) for (const item of value) writeItem(item, place);
  else for (const key of keysOf(value, place.order)) writeField(key, value[key] ?? null, place);
}

function keysOf(value: object, order: KeyOrder): string[] {
  const keys = Object.keys(value);
  return order === "sorted" ? keys.sort(compareKeys) : keys;
}

function writeField(key: string, value: JsonValue, place: Place): void {
  const { indent, lines } = place;
  const name = `${indent}${scalar(key, 0)}:`;
  if (typeof value !== "object" || value === null) {
    lines.push(`${name} ${scalar(value, indent.length + 2, name.length + 1)}`);
  } else if (isEmpty(value)) lines.push(`${name} ${Array.isArray(value) ? "[]" : "{}"}`);
  else {
    lines.push(name);
    writeBlock(value, Array.isArray(value) ? place : { ...place, indent: `${indent}  ` });
  }
}

function writeItem(value: JsonValue, place: Place): void {
  const { indent, lines } = place;
  if (typeof value !== "object" || value === null) {
    lines.push(`${indent}- ${scalar(value, indent.length + 2, indent.length + 2)}`);
  } else if (isEmpty(value)) lines.push(`${indent}- ${Array.isArray(value) ? "[]" : "{}"}`);
  else {
    const inner: string[] = [];
    writeBlock(value, { ...place, indent: `${indent}  `, lines: inner });
    const [first = "", ...rest] = inner;
    lines.push(`${indent}- ${first.slice(indent.length + 2)}`, ...rest);
  }
}

/** A scalar; `indent` is the indentation of its further lines, `column` its own position. */
function scalar(value: JsonValue, indent: number, column = 0): string {
  if (typeof value !== "string") return toGoJson(value);
  if (value.includes("\n") && isPlainText(value)) return block(value, indent);
  if (mustQuoteType(value) || !isPlainText(value)) return quote(value);
  return needsQuotes(value)
    ? `'${fold(value.replaceAll("'", "''"), indent, column + 1)}'`
    : fold(value, indent, column);
}

/** Whether a string can be written as a block or in single quotes. */
function isPlainText(value: string): boolean {
  return (
    !/[^\n\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u.test(value) ||
    /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\n]*$/u.test(value)
  );
}

const otherTypes =
  /^(|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|<<|\.inf|\.Inf|\.INF|\+\.inf|-\.inf|\.nan|\.NaN|\.NAN)$/;
const number = /^[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?)$/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?\s*(Z|[-+]\d\d?(:?\d\d)?)?)?$/;

/** Whether a plain string would be read as another type. */
function mustQuoteType(value: string): boolean {
  return otherTypes.test(value) || number.test(value) || sexagesimal.test(value) || timestamp.test(value);
}

/** Whether a string is not a valid plain scalar here. */
function needsQuotes(value: string): boolean {
  if (/^[,[\]{}#&*!|>'"%@`]/.test(value) || /^[-?:](\s|$)/.test(value)) return true;
  if (/^(---|\.\.\.)/.test(value)) return true;
  return /: |:$|\s#|^\s|\s$/.test(value);
}

/** Folds long lines at single spaces. */
function fold(value: string, indent: number, column: number): string {
  if (column + value.length <= width) return value;
  let result = "";
  let at = column;
  const words = value.split(" ");
  for (const [index, word] of words.entries()) {
    const isBreakable = index > 0 && at > width && word !== "" && words[index - 1] !== "";
    if (isBreakable) {
      result += `\n${" ".repeat(indent)}${word}`;
      at = indent + word.length;
    } else {
      result += index === 0 ? word : ` ${word}`;
      at += word.length + (index === 0 ? 0 : 1);
    }
  }
  return result;
}

function block(value: string, indent: number): string {
  const pad = " ".repeat(indent);
  const chomp = value.endsWith("\n\n") || value === "\n" ? "+" : value.endsWith("\n") ? "" : "-";
  const hint = /^[ \n]/.test(value) ? "2" : "";
  const text = value.endsWith("\n") ? value.slice(0, -1) : value;
  const lines = text.split("\n").map((line) => (line === "" ? "" : pad + line));
  return `|${hint}${chomp}\n${lines.join("\n")}`;
}
