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
  flag: "BOOLEAN",
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
  for await (const row of rows) {
    for (const [at, kind] of kinds.entries()) {
      const value = row[at] ?? null;
      if (value === null) appender.appendNull();
      else if (kind === "text") appender.appendVarchar(String(value));
      else if (kind === "integer") appender.appendBigInt(BigInt(value));
      else if (kind === "flag") appender.appendBoolean(value === 1);
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

/** Reads a file as records: every cell is text, as the engine prints it; nested cells are JSON. */
export async function* readParquetFile(
  { connection }: Engine,
  path: string,
): AsyncIterable<{ readonly [name: string]: unknown }> {
  await connection.run("SET TimeZone = 'UTC'");
  const source = `read_parquet(${literal(path)})`;
  const described = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`)).getRows();
  const columns = described.map(([name, type]) => ({
    name: String(name),
    isNested: /[\])]$|^JSON$/.test(String(type)) && !String(type).startsWith("DECIMAL"),
  }));
  const cells = columns.map(({ name, isNested }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return isNested ? `CAST(to_json(${quoted}) AS VARCHAR)` : `CAST(${quoted} AS VARCHAR)`;
  });
  const result = await connection.stream(`SELECT ${cells.join(",")} FROM ${source}`);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const values = chunk.getColumns();
    for (let at = 0; at < chunk.rowCount; at++)
      yield Object.fromEntries(
        columns.map(({ name, isNested }, column) => {
          const cell = values[column]?.[at] ?? null;
          return [name, isNested && typeof cell === "string" ? (JSON.parse(cell) as unknown) : cell];
        }),
      );
  }
}
