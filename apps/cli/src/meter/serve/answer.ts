/** Answers of endpoints before they are sent. */
import { formatCsv } from "../report-output.ts";

/** What an endpoint answers; the body comes in parts. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body: Iterable<string>;
}

/** JSON. */
export function json(value: unknown, status = 200): Answer {
  return { status, type: "application/json", body: [`${JSON.stringify(value)}\n`] };
}

/** A JSON array, row by row. */
export function jsonArray(rows: readonly unknown[]): Answer {
  return { status: 200, type: "application/json", body: rowsOf(rows) };
}

/** JSON of an object with one long array, row by row: a long answer is never one text. */
export function jsonWithRows<T extends object>(whole: T, key: keyof T & string, rows: readonly unknown[]): Answer {
  return { status: 200, type: "application/json", body: parts(whole, key, rows) };
}

function* parts(whole: object, key: string, rows: readonly unknown[]): Iterable<string> {
  let isFirst = true;
  for (const [name, value] of Object.entries(whole)) {
    yield `${isFirst ? "{" : ","}${JSON.stringify(name)}:`;
    isFirst = false;
    if (name === key) yield* rowsOf(rows);
    else yield JSON.stringify(value);
  }
  yield "}\n";
}

function* rowsOf(rows: readonly unknown[]): Iterable<string> {
  yield "[";
  for (let at = 0; at < rows.length; at += 500)
    yield `${at === 0 ? "" : ","}${rows
      .slice(at, at + 500)
      .map((row) => JSON.stringify(row))
      .join(",")}`;
  yield "]";
}

/** CSV. */
export function csv(rows: readonly (readonly string[])[]): Answer {
  return csvText(formatCsv(rows));
}

/** CSV that is text already. */
export function csvText(text: string): Answer {
  return { status: 200, type: "text/csv; charset=utf-8", body: [text] };
}
