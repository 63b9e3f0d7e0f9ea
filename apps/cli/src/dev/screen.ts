/** The screen of `capstan dev`: log lines scroll, the table stays below them. Without a terminal, changes are printed as lines. */
import { formatTable, type Table } from "../output/print.ts";
import { styleOf } from "../output/style.ts";
import type { Terminal } from "../terminal.ts";

/** Shows lines and a table. */
export interface Screen {
  line(text: string): void;
  /** Shows a table, scrolled to its selected row, and below it the keys or a question. */
  table(table: Table, options: { readonly selected: number; readonly below: string }): void;
  close(): void;
}

/** The screen of a terminal. */
export function openScreen(terminal: Terminal, isLive: boolean): Screen {
  return isLive
    ? liveScreen(terminal)
    : { line: (text) => terminal.out(`${text}\n`), table: () => {}, close: () => {} };
}

const MOST_ROWS = 15;

function liveScreen(terminal: Terminal): Screen {
  const { dim } = styleOf(terminal);
  let shown = "";
  const erase = (): string => (shown === "" ? "" : `\u001B[${shown.split("\n").length - 1}A\u001B[0J`);
  const draw = (before: string, next: string): void => {
    if (before === "" && next === shown) return;
    terminal.out(`${erase()}${before}${next}`);
    shown = next;
  };
  return {
    line: (text) => draw(`${text}\n`, shown),
    table: (table, { selected, below }) => {
      const more = table.rows.length - MOST_ROWS;
      const from = Math.max(0, Math.min(selected - MOST_ROWS + 1, more));
      const body = formatTable({ ...table, rows: table.rows.slice(from, from + MOST_ROWS) }, terminal);
      const note = more > 0 ? `${dim(`and ${more} more`)}\n` : "";
      draw("", `\n${body}${note}${below}\n`);
    },
    close: () => {
      shown = "";
    },
  };
}
