/** The tables of classic reports in DuckDB, with the names and types that they had in Presto. */
import { MeterError } from "../error.ts";
import { type Engine, literal } from "../store/engine.ts";
import type { ClassicColumn } from "./objects.ts";
import type { ClassicRow } from "./rows.ts";
import { translatePresto } from "./translate-presto.ts";

/** A cell of a result. */
export type ClassicCell = string | number | bigint | boolean | Date | { readonly [key: string]: string } | null;

/** A row of a result by column. */
export type ClassicResultRow = { readonly [column: string]: ClassicCell };

/** The table of a data source or a report. */
export function tableOf(kind: "datasource" | "report", namespace: string, name: string): string {
  const word = (text: string): string => text.replaceAll(/[-.]/g, "_");
  return `hive.metering.${kind}_${word(namespace)}_${word(name)}`;
}

/** Rows of an INSERT. */
const insertSize = 1000;

/** Runs the SQL of reports. */
export class ClassicEngine implements Disposable {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Makes the catalog that the names have. */
  async prepare(): Promise<void> {
    const statements = [
      "SET TimeZone = 'UTC'",
      // As Presto: the quotient of integers is one.
      "SET integer_division = true",
      "ATTACH ':memory:' AS hive",
      "CREATE SCHEMA hive.metering",
    ];
    for (const statement of statements) await this.#engine.connection.run(statement);
  }

  /** Cuts the engine off from files: queries are of users. */
  async lock(): Promise<void> {
    await this.#engine.connection.run("SET enable_external_access = false");
    await this.#engine.connection.run("SET lock_configuration = true");
  }

  /** A table of imported rows. */
  async createRows(table: string, batches: AsyncIterable<readonly ClassicRow[]>): Promise<void> {
    const { connection } = this.#engine;
    await connection.run(
      `CREATE TABLE ${table} (amount DOUBLE, "timestamp" TIMESTAMP, timeprecision DOUBLE, labels MAP(VARCHAR, VARCHAR), dt VARCHAR)`,
    );
    for await (const rows of batches)
      for (let at = 0; at < rows.length; at += insertSize)
        await connection.run(
          `INSERT INTO ${table} VALUES ${rows
            .slice(at, at + insertSize)
            .map(valuesOf)
            .join(", ")}`,
        );
  }

  /** An empty table of a report. */
  async createTable(table: string, columns: readonly ClassicColumn[]): Promise<void> {
    const all = columns.map(({ name, type }) => `${quoted(name)} ${engineType(type)}`).join(", ");
    await this.#engine.connection.run(`CREATE TABLE ${table} (${all})`);
  }

  /** A view of a query. */
  async createView(view: string, query: string): Promise<void> {
    await this.#run(`CREATE VIEW ${view} AS ${translatePresto(query)}`);
  }

  /** Adds the rows of a query. */
  async insert(table: string, query: string): Promise<void> {
    await this.#run(`INSERT INTO ${table} ${translatePresto(query)}`);
  }

  /** Removes all rows. */
  async clear(table: string): Promise<void> {
    await this.#run(`DELETE FROM ${table}`);
  }

  async #run(sql: string): Promise<void> {
    try {
      await this.#engine.connection.run(sql);
    } catch (cause) {
      throw new MeterError("BadSql", cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  /** All rows, in the order of the columns. */
  async rows(table: string, columns: readonly ClassicColumn[]): Promise<readonly ClassicResultRow[]> {
    const shown = columns.map(({ name, type }) => {
      const kind = engineType(type);
      if (kind === "TIMESTAMP" || kind === "DATE") return `epoch_ms(CAST(${quoted(name)} AS TIMESTAMP))`;
      return kind.startsWith("MAP") ? `map_entries(${quoted(name)})` : quoted(name);
    });
    const order = columns.map(({ name, type }) =>
      engineType(type).startsWith("MAP") ? `map_entries(${quoted(name)})` : quoted(name),
    );
    const result = await this.#engine.connection.runAndReadAll(
      `SELECT ${shown.join(", ")} FROM ${table} ORDER BY ${order.join(", ")} ASC`,
    );
    return result
      .getRowsJS()
      .map((cells) =>
        Object.fromEntries(columns.map(({ name, type }, at) => [name, toCell(cells[at], engineType(type))])),
      );
  }

  [Symbol.dispose](): void {
    this.#engine.connection.closeSync();
    this.#engine.instance.closeSync();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function valuesOf({ amount, at, precision, labels }: ClassicRow): string {
  const time = new Date(at).toISOString();
  const entries = Object.entries(labels);
  const texts = (all: readonly string[]): string => `CAST([${all.map(literal).join(", ")}] AS VARCHAR[])`;
  const map = `MAP(${texts(entries.map(([key]) => key))}, ${texts(entries.map(([, value]) => value))})`;
  return `(CAST('${amount}' AS DOUBLE), TIMESTAMP '${time.slice(0, 23).replace("T", " ")}', CAST('${precision}' AS DOUBLE), ${map}, '${time.slice(0, 10)}')`;
}

/** The type of a column of Hive or Presto in DuckDB. */
export function engineType(type: string): string {
  const word = type.trim().toLowerCase();
  if (/^(string|varchar|char)\b/.test(word)) return "VARCHAR";
  if (/^(tinyint|smallint|int|integer|bigint|boolean|double|timestamp|date)$/.test(word))
    return word === "int" ? "INTEGER" : word.toUpperCase();
  if (/^(float|real)$/.test(word)) return "REAL";
  const map = /^map\s*[<(]\s*([a-z]+)\s*,\s*([a-z]+)\s*[>)]$/.exec(word);
  if (map !== null) return `MAP(${engineType(map[1] ?? "")}, ${engineType(map[2] ?? "")})`;
  const decimal = /^decimal\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(word);
  if (decimal !== null) return `DECIMAL(${decimal[1]}, ${decimal[2]})`;
  throw new MeterError("BadInput", `the column type ${JSON.stringify(type)} is not supported`);
}

function toCell(value: unknown, type: string): ClassicCell {
  if (value === null || value === undefined) return null;
  if (type === "TIMESTAMP" || type === "DATE") return new Date(Number(value));
  if (Array.isArray(value)) {
    const entries = value as readonly { readonly key: unknown; readonly value: unknown }[];
    return Object.fromEntries(entries.map(({ key, value: item }) => [String(key), String(item)]));
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return value;
  return typeof value === "string" ? value : JSON.stringify(value);
}
