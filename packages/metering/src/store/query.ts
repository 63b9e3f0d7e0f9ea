/** Runs a query of a user on the relations of a store: reading only, without files and network, with limits. */
import { MeterError } from "../error.ts";
import type { Engine } from "./engine.ts";
import { fillTable } from "./parquet.ts";
import type { QueryLimits, QueryResult, Relation } from "./store.ts";

/** What a query may see. */
export interface QueryRun {
  readonly sql: string;
  readonly relations: readonly Relation[];
  readonly limits: QueryLimits;
}

/** The largest result in characters: it is kept in memory as a whole. */
const largestResult = 64 * 1024 * 1024;

/** Copies what the query may see into the engine, cuts the engine off from files, and runs the query. */
export async function runQuery(engine: Engine, run: QueryRun): Promise<QueryResult> {
  const { connection, instance } = engine;
  try {
    for (const relation of run.relations) await fillTable(engine, relation.name, relation);
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
    return await select(engine, run);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function select({ connection, module }: Engine, { sql, limits }: QueryRun): Promise<QueryResult> {
  try {
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1) throw new MeterError("BadSql", "one statement is expected, not several");
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== module.StatementType.SELECT)
      throw new MeterError("BadSql", "only SELECT is allowed: a query reads and changes nothing");
    limits.expired?.addEventListener("abort", () => connection.interrupt(), { once: true });
    const result = await prepared.stream();
    const rows: (string | number | boolean | null)[][] = [];
    const names = result.columnNames();
    let size = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const cells = chunk.getColumns();
      for (let at = 0; at < chunk.rowCount; at++) {
        const row = cells.map((column) => toCell(column[at]));
        size += row.reduce<number>((sum, cell) => sum + (typeof cell === "string" ? cell.length : 8), 0);
        rows.push(row);
      }
      if (size > largestResult)
        throw new MeterError(
          "Limit",
          "the query returns more than 64 Mi characters; add LIMIT, or choose less columns",
        );
      if (rows.length > limits.maxRows)
        throw new MeterError(
          "Limit",
          `the query returns more than ${limits.maxRows} rows; add LIMIT, or raise --max-rows`,
        );
    }
    return { names, rows };
  } catch (cause) {
    if (cause instanceof MeterError) throw cause;
    if (limits.expired?.aborted === true)
      throw new MeterError("Limit", "the query takes too long; read less, or raise --timeout", { cause });
    throw new MeterError("BadSql", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** A cell as JSON has it: decimals and large numbers as text. */
function toCell(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  // The values of the engine print themselves as SQL does.
  return (value as { toString(): string }).toString();
}
