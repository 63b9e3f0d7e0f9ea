/** Runs a query of a user on the relations of a store: reading only, without files and network, with limits. */
import { MeterError } from "../error.ts";
import type { DuckDBPreparedStatement } from "@duckdb/node-api";
import { type Engine, literal } from "./engine.ts";
import { formatInstant } from "../time/instant.ts";
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
    // The file of the result is the only one that the engine may open.
    const { parquet } = run.limits;
    if (parquet !== undefined) await connection.run(`SET allowed_paths = [${literal(parquet)}]`);
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
    return parquet === undefined ? await select(engine, run) : await copy(engine, run, parquet);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Prepares the one SELECT that a query may be. */
async function prepare({ connection, module }: Engine, sql: string): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new MeterError("BadSql", "one statement is expected, not several");
  const prepared = await statements.prepare(0);
  if (prepared.statementType !== module.StatementType.SELECT)
    throw new MeterError("BadSql", "only SELECT is allowed: a query reads and changes nothing");
  return prepared;
}

/** Runs a query; what the engine refuses is bad SQL, or over a limit. */
async function guarded<T>({ connection }: Engine, { expired }: QueryLimits, run: () => Promise<T>): Promise<T> {
  try {
    expired?.addEventListener("abort", () => connection.interrupt(), { once: true });
    return await run();
  } catch (cause) {
    if (cause instanceof MeterError) throw cause;
    if (expired?.aborted === true)
      throw new MeterError("Limit", "the query takes too long; read less, or raise --timeout", { cause });
    const message = cause instanceof Error ? cause.message : String(cause);
    if (/out of memory/i.test(message))
      throw new MeterError("Limit", `the query needs more memory than it may take; read less: ${message}`, { cause });
    throw new MeterError("BadSql", message, { cause });
  }
}

/** Writes the result of a query to a file. */
function copy(engine: Engine, { sql, limits }: QueryRun, path: string): Promise<QueryResult> {
  return guarded(engine, limits, async () => {
    const { connection } = engine;
    await prepare(engine, sql);
    await connection.run(`CREATE TEMP TABLE "the result" AS\n${sql}`);
    const count = Number((await connection.runAndReadAll('SELECT count(*) FROM "the result"')).getRows()[0]?.[0] ?? 0);
    if (count > limits.maxRows) throw tooManyRows(limits);
    await connection.run(`COPY "the result" TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`);
    return { names: [], rows: [] };
  });
}

function tooManyRows({ maxRows }: QueryLimits): MeterError {
  return new MeterError("Limit", `the query returns more than ${maxRows} rows; add LIMIT, or raise --max-rows`);
}

function select(engine: Engine, { sql, limits }: QueryRun): Promise<QueryResult> {
  return guarded(engine, limits, async () => {
    const result = await (await prepare(engine, sql)).stream();
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
      if (rows.length > limits.maxRows) throw tooManyRows(limits);
    }
    return { names, rows };
  });
}

/** A cell as JSON has it: decimals and large numbers as text. */
function toCell(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "object" && "micros" in value && typeof value.micros === "bigint" && isTimestamp(value))
    return formatInstant(Number(value.micros / 1000n));
  // The values of the engine print themselves as SQL does.
  return (value as { toString(): string }).toString();
}

/** Timestamps hold microseconds since 1970; times of day and intervals hold them, too, and print as SQL does. */
function isTimestamp(value: object): boolean {
  return /^DuckDBTimestamp(?:TZ)?Value$/.test(value.constructor.name);
}
