/** The archive of a store on PostgreSQL: invoices, closed periods, the audit and the key of hashes as rows. */
import type { PoolClient } from "pg";
import type { Archive } from "../archive.ts";
import { type Database, databaseError } from "./connection.ts";
import { prepareSchema, versionOf } from "./schema.ts";
import { fromStoredText, toStoredText } from "./text.ts";

/** Runs a transaction; the tables are there. */
export async function inTransaction<T>(database: Database, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect().catch((cause: unknown) => {
    throw databaseError(cause, database);
  });
  let isBroken = false;
  try {
    await client.query("BEGIN");
    const result = await run(client);
    await client.query("COMMIT");
    return result;
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {
      isBroken = true;
    });
    throw databaseError(cause, database);
  } finally {
    client.release(isBroken);
  }
}

/** The rows of a query; none where the store does not exist yet. */
export async function rowsOf<T extends object>(
  database: Database,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly T[]> {
  return inTransaction(database, async (client) => {
    if ((await versionOf(client, database.schema)) === undefined) return [];
    return (await client.query<T>(sql, [...values])).rows;
  });
}

/** The archive of a database. */
export function postgresArchive(database: Database): Archive {
  const { schema } = database;
  const add = (sql: string, values: readonly unknown[]): Promise<void> =>
    inTransaction(database, async (client) => {
      await prepareSchema(client, database);
      await client.query(sql, [...values]);
    });
  return {
    invoices: async () => {
      const sql = `SELECT id, body FROM ${schema}.invoices ORDER BY id COLLATE "C"`;
      const rows = await rowsOf<{ id: string; body: string }>(database, sql);
      return rows.map(({ id, body }) => ({ where: fromStoredText(id), text: fromStoredText(body) }));
    },
    addInvoice: (id, text) =>
      add(`INSERT INTO ${schema}.invoices VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = excluded.body`, [
        toStoredText(id),
        toStoredText(text),
      ]),
    closedPeriods: async () => {
      const rows = await rowsOf<{ period: string }>(database, `SELECT period FROM ${schema}.closed_periods`);
      return new Set(rows.map(({ period }) => period));
    },
    addClosedPeriod: (period) =>
      add(`INSERT INTO ${schema}.closed_periods VALUES ($1) ON CONFLICT DO NOTHING`, [period]),
    auditLines: async () => {
      const rows = await rowsOf<AuditRow>(database, `SELECT n, line FROM ${schema}.audit ORDER BY n`);
      return rows.map(auditLine);
    },
    appendAudit: (next) =>
      inTransaction(database, async (client) => {
        await prepareSchema(client, database);
        await client.query(`LOCK TABLE ${schema}.audit IN EXCLUSIVE MODE`);
        const { rows } = await client.query<AuditRow>(`SELECT n, line FROM ${schema}.audit ORDER BY n DESC LIMIT 1`);
        const last = rows[0];
        const first = Number(last?.n ?? 0) + 1;
        const lines = next(last === undefined ? undefined : auditLine(last));
        for (const [at, line] of lines.entries())
          await client.query(`INSERT INTO ${schema}.audit VALUES ($1, $2)`, [first + at, toStoredText(line)]);
      }),
    hashKey: (make) =>
      inTransaction(database, async (client) => {
        await prepareSchema(client, database);
        await client.query(`INSERT INTO ${schema}.meta VALUES ('hash key', $1) ON CONFLICT DO NOTHING`, [make()]);
        const { rows } = await client.query<{ value: Buffer }>(
          `SELECT value FROM ${schema}.meta WHERE name = 'hash key'`,
        );
        return rows[0]?.value ?? Buffer.alloc(0);
      }),
  };
}

interface AuditRow {
  readonly n: string;
  readonly line: string;
}

function auditLine({ n, line }: AuditRow): { where: string; text: string } {
  return { where: `audit line ${n}`, text: fromStoredText(line) };
}
