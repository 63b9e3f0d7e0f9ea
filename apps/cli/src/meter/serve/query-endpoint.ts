/** `POST query`: SQL of an admin. */
import { parseDuration, runStoreQuery } from "@capstan/metering";
import { countOf } from "../options.ts";
import { type Answer, csv, jsonArray } from "./answer.ts";
import { HttpError } from "./http-error.ts";
import { Parameters } from "./parameters.ts";
import type { Setting } from "./setting.ts";

/** The longest time that a caller may ask for. */
const longest = 300_000;

/** Answers SQL: an array of objects. */
export async function postQuery(
  setting: Setting,
  { search, body }: { search: URLSearchParams; body: string },
): Promise<Answer> {
  const parameters = new Parameters(search, ["format", "timeout", "max-rows"]);
  const format = parameters.choice("format", ["json", "csv"], "json");
  const timeout = parseDuration(parameters.text("timeout") ?? "60s");
  if (timeout === undefined || timeout > longest)
    throw new HttpError(400, "timeout must be a duration of at most 5m, such as 60s");
  const maxRows = countOf("max-rows", parameters.text("max-rows") ?? "100000");
  const sql = sqlOf(body);
  const book = await setting.book();
  await using store = await setting.openStore();
  const limits = { expired: AbortSignal.timeout(timeout), maxRows };
  const { names, rows } = await runStoreQuery(store, book, { sql, limits });
  if (format === "csv")
    return csv([names, ...rows.map((row) => row.map((cell) => (cell === null ? "" : String(cell))))]);
  const objects = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
  return jsonArray(objects);
}

/** The SQL itself, or JSON with a field `sql`. */
function sqlOf(body: string): string {
  if (!body.trimStart().startsWith("{")) return body;
  try {
    const { sql } = JSON.parse(body) as { readonly sql?: unknown };
    if (typeof sql === "string") return sql;
  } catch {
    // What is neither SQL nor JSON is refused below.
  }
  throw new HttpError(400, 'the body must be SQL, or {"sql": "SELECT ..."}');
}
