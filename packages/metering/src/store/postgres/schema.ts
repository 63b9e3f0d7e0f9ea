/** The tables of a store on PostgreSQL. */
import type { PoolClient } from "pg";
import { MeterError } from "../../error.ts";
import { type ColumnType, type TableName, tables } from "../tables.ts";
import type { Database } from "./connection.ts";

/** The version of the tables that this code writes. */
const schemaVersion = 1;

/** The types of columns; text is compared by code point. */
export const columnTypes: { readonly [type in ColumnType]: string } = {
  text: 'text COLLATE "C"',
  integer: "bigint",
  amount: "numeric(38,6)",
};

/** The names of all tables. */
export const tableNames = Object.keys(tables) as readonly TableName[];

/** Makes the tables where they are missing; a newer store is refused and stays as it is. */
export async function prepareSchema(client: PoolClient, { schema }: Pick<Database, "schema">): Promise<void> {
  const known = await versionOf(client, schema);
  if (known !== undefined && known > schemaVersion)
    throw new MeterError(
      "Newer",
      `the store is of version ${known}, this program knows ${schemaVersion}; use a newer one`,
    );
  if (known === schemaVersion) return;
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const texts = [
    `meta (name text PRIMARY KEY, value bytea NOT NULL)`,
    `batches (batch bigint PRIMARY KEY, entry text NOT NULL)`,
    `invoices (id text PRIMARY KEY, body text NOT NULL)`,
    `closed_periods (period text PRIMARY KEY)`,
    `audit (n bigint PRIMARY KEY, line text NOT NULL)`,
    ...tableNames.map((name) => `${name} (${columnsOf(name).join(", ")})`),
  ];
  for (const text of texts) await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.${text}`);
  for (const name of tableNames)
    await client.query(`CREATE INDEX IF NOT EXISTS ${name}_start ON ${schema}.${name} (start_ms)`);
  await client.query(`CREATE INDEX IF NOT EXISTS usage_id ON ${schema}.usage (source, id)`);
  await client.query(
    `CREATE INDEX IF NOT EXISTS usage_corrects ON ${schema}.usage (source, corrects) WHERE corrects <> ''`,
  );
  await client.query(`INSERT INTO ${schema}.meta VALUES ('version', $1)`, [Buffer.from(String(schemaVersion))]);
}

function columnsOf(name: TableName): string[] {
  return Object.entries(tables[name].columns).map(([column, type]) => `"${column}" ${columnTypes[type]} NOT NULL`);
}

/** The version of the tables; undefined where there are none. */
export async function versionOf(client: PoolClient, schema: string): Promise<number | undefined> {
  const found = await client.query<{ there: string | null }>("SELECT to_regclass($1) AS there", [`${schema}.meta`]);
  if (found.rows[0]?.there == null) return undefined;
  const { rows } = await client.query<{ value: Buffer }>(`SELECT value FROM ${schema}.meta WHERE name = 'version'`);
  return rows[0] === undefined ? undefined : Number(rows[0].value.toString());
}
