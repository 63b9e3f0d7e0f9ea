/** Prints what a command found, as a table for people or as JSON or YAML for programs. */
import type { TextOption } from "../command/define.ts";
import type { Terminal } from "../terminal.ts";
import { styleOf, widthOf } from "./style.ts";

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
}

/** Prints a value in the format that was asked for. */
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

/** A table whose last column is cut where the window ends. */
export function formatTable({ titles, rows }: Table, terminal: Pick<Terminal, "columns" | "color">): string {
  const { bold } = styleOf(terminal);
  const widths = titles.map((title, at) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))));
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

/** Cuts a line to a width; styles take no room. */
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
