/** Parquet files of users: written from relations, read as plain records. */
import type { Engine } from "./engine.ts";
import { literal } from "./engine.ts";
import type { Relation } from "./store.ts";

const types = {
  text: "VARCHAR",
  instant: "TIMESTAMPTZ",
  quantity: "DECIMAL(38,9)",
  money: "DECIMAL(38,6)",
  integer: "BIGINT",
} as const;

/** Puts a relation into a table of the engine. */
export async function fillTable(
  { connection, module }: Engine,
  name: string,
  { columns, rows }: Relation,
): Promise<void> {
  const kinds = Object.values(columns);
  const declared = Object.entries(columns).map(([column, type]) => `"${column.replaceAll('"', '""')}" ${types[type]}`);
  await connection.run(`CREATE OR REPLACE TEMP TABLE "${name}" (${declared.join(",")})`);
  const appender = await connection.createAppender(name);
  for (const row of rows) {
    for (const [at, kind] of kinds.entries()) {
      const value = row[at] ?? null;
      if (value === null) appender.appendNull();
      else if (kind === "text") appender.appendVarchar(String(value));
      else if (kind === "integer") appender.appendBigInt(BigInt(value));
      else if (kind === "instant") appender.appendTimestampTZ(new module.DuckDBTimestampTZValue(BigInt(value) * 1000n));
      else appender.appendDecimal(new module.DuckDBDecimalValue(BigInt(value), 38, kind === "money" ? 6 : 9));
    }
    appender.endRow();
  }
  appender.closeSync();
}

/** Writes a relation to a file. */
export async function writeParquetFile(engine: Engine, path: string, relation: Relation): Promise<void> {
  await fillTable(engine, "outgoing", relation);
  const columns = Object.entries(relation.columns).map(([column, type]) => {
    const name = `"${column.replaceAll('"', '""')}"`;
    return type === "instant" ? `CAST(${name} AT TIME ZONE 'UTC' AS TIMESTAMP_MS) AS ${name}` : name;
  });
  await engine.connection.run(
    `COPY (SELECT ${columns.join(",")} FROM outgoing) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
  );
}

/** Reads a file as records with texts: decimals and times as text. */
export async function* readParquetFile(
  { connection }: Engine,
  path: string,
): AsyncIterable<{ readonly [name: string]: unknown }> {
  const result = await connection.stream(`SELECT to_json(r)::VARCHAR FROM read_parquet(${literal(path)}) r`);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    for (const text of chunk.getColumns()[0] ?? []) yield JSON.parse(String(text)) as { [name: string]: unknown };
  }
}
