/** Prints the result of a command: a table for people, JSON or YAML for programs. */
import type { TextOption } from "../command/define.ts";
import type { Terminal } from "../terminal.ts";
import { styleOf, widthOf } from "./style.ts";
import { wrap } from "./wrap.ts";

/** The option of every command that prints data. */
export const outputOption = {
  type: "text",
  short: "o",
  value: "FORMAT",
  choices: ["table", "json", "yaml"],
  default: "table",
  describe: "how to print: table, json or yaml",
} as const satisfies TextOption;

/** Rows under titles. */
export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The column with cells that are shortened in the middle before the last column gets too narrow. */
  readonly givesWay?: number;
  /** Whether a last column that is too wide is cut or wrapped. */
  readonly overflow?: "cut" | "wrap";
}

/** Prints a value in the requested format. */
export async function print(
  { terminal, output }: { readonly terminal: Terminal; readonly output: string },
  { value, table }: { readonly value: unknown; readonly table: Table | string },
): Promise<void> {
  switch (output) {
    case "json":
      terminal.out(`${JSON.stringify(value, undefined, 2)}\n`);
      return;
    case "yaml":
      terminal.out((await import("yaml")).stringify(value));
      return;
    default:
      terminal.out(typeof table === "string" ? table : formatTable(table, terminal));
  }
}

const GAP = 3;

/** A table that fits the window. */
export function formatTable(
  { titles, rows: asked, overflow = "cut", givesWay }: Table,
  terminal: Pick<Terminal, "columns" | "color">,
): string {
  const { bold } = styleOf(terminal);
  const given = givesWay === undefined ? asked : givingWay({ titles, rows: asked }, givesWay, terminal.columns);
  const widths = titles.map((title, at) => Math.max(widthOf(title), ...given.map((row) => widthOf(row[at] ?? ""))));
  const room = terminal.columns - widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const rows = overflow === "wrap" && room > 0 ? given.flatMap((row) => goingOn(row, room)) : given;
  const line = (cells: readonly string[]): string =>
    cut(
      cells
        .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - widthOf(cell) + GAP))
        .join("")
        .trimEnd(),
      terminal.columns,
    );
  return [titles.map((title) => bold(title)), ...rows].map((cells) => `${line(cells)}\n`).join("");
}

/** The minimum width of the last column. */
const LEGIBLE = 30;
/** The minimum width of a name. */
const NAME = 16;

function givingWay({ titles, rows }: Table, column: number, columns: number): readonly (readonly string[])[] {
  const widest = (at: number): number =>
    Math.max(widthOf(titles[at] ?? ""), ...rows.map((row) => widthOf(row[at] ?? "")));
  const others = titles.slice(0, -1).reduce((sum, _, at) => sum + GAP + (at === column ? 0 : widest(at)), 0);
  const room = Math.max(NAME, columns - others - Math.min(LEGIBLE, widest(titles.length - 1)));
  return rows.map((row) => row.map((cell, at) => (at === column ? shortened(cell, room) : cell)));
}

/** A text without its middle. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
}

/** A row with a last cell that wraps into further rows; plain text only. */
function goingOn(row: readonly string[], width: number): string[][] {
  const [first = "", ...more] = wrap(row.at(-1) ?? "", width);
  const before = row.slice(0, -1);
  return [[...before, first], ...more.map((text) => [...before.map(() => ""), text])];
}

/** Cuts a line to a width; escape sequences of styles do not count. */
function cut(line: string, columns: number): string {
  if (columns <= 0 || widthOf(line) <= columns) return line;
  let room = columns - 1;
  let shown = "";
  for (const part of line.split(/(\u001B\[\d+m)/)) {
    if (part.startsWith("\u001B[")) shown += part;
    else {
      const letters = Array.from(part).slice(0, Math.max(0, room));
      room -= letters.length;
      shown += letters.join("");
    }
  }
  return `${shown}…`;
}
