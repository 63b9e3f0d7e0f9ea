/** A store on PostgreSQL: rows, state and archive of one schema, and one writer at a time by an advisory lock. */
import type { PoolClient } from "pg";
import { MeterError } from "../../error.ts";
import type { Archive } from "../archive.ts";
import { type Engine, openEngine } from "../engine.ts";
import { type DataFile, type Manifest, type ManifestEntry, replay } from "../manifest.ts";
import { readParquetFile, writeParquetFile } from "../parquet.ts";
import { runQuery } from "../query.ts";
import type {
  Commit,
  QueryLimits,
  QueryResult,
  ReadFilter,
  Relation,
  Removal,
  Store,
  StoreState,
  SummedUsage,
} from "../store.ts";
import { type ColumnType, type Row, type TableName, type Value, tables } from "../tables.ts";
import { type Database, connect, databaseError } from "./connection.ts";
import { inTransaction, postgresArchive, rowsOf } from "./postgres-archive.ts";
import { prepareSchema, versionOf } from "./schema.ts";
import { fromStoredText, toStoredText } from "./text.ts";

/** How a store on PostgreSQL is opened. */
export interface PostgresStoreOptions {
  readonly pid: number;
  /** Present for writers; with `wait` they wait for each other. */
  readonly lock?: { readonly wait?: () => Promise<void> };
  /** A folder for what queries do not hold in memory. */
  readonly temporary: string;
}

/** Opens a store; writers take its lock. */
export async function openPostgresStore(url: string, options: PostgresStoreOptions): Promise<Store> {
  const database = await connect(url, options.pid);
  let writer: PoolClient | undefined;
  try {
    if (options.lock !== undefined) writer = await takeLock(database, options.lock.wait);
    return new PostgresStore(database, { writer, manifest: await readState(database), temporary: options.temporary });
  } catch (error) {
    writer?.release(true);
    await database.pool.end();
    throw databaseError(error, database);
  }
}

/** Opens the archive of a store only. */
export async function openPostgresArchive(
  url: string,
  { pid }: Pick<PostgresStoreOptions, "pid">,
): Promise<AsyncDisposable & { readonly archive: Archive }> {
  const database = await connect(url, pid);
  return { archive: postgresArchive(database), [Symbol.asyncDispose]: () => database.pool.end() };
}

/** The lock belongs to the connection: that of a dead process is free. */
async function takeLock(database: Database, wait: (() => Promise<void>) | undefined): Promise<PoolClient> {
  const client = await database.pool.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>(
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken",
        [database.lockKey],
      );
      if (rows[0]?.taken === true) return client;
      if (wait === undefined) throw locked(await holderOf(client), database);
      await wait();
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function locked(holder: string, { shown }: Database): MeterError {
  return new MeterError(
    "Locked",
    `another process (${holder}) writes to ${shown}; wait for it with --wait, or try again later`,
  );
}

async function holderOf(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted",
  );
  return rows[0]?.application_name ?? "of an unknown pid";
}

async function readState(database: Database): Promise<Manifest> {
  await inTransaction(database, async (client) => {
    // A store of a newer version is refused before anything of it is read.
    if ((await versionOf(client, database.schema)) !== undefined) await prepareSchema(client, database);
  });
  const rows = await rowsOf<{ entry: string }>(database, `SELECT entry FROM ${database.schema}.batches ORDER BY batch`);
  return replay(rows.map(({ entry }) => JSON.parse(fromStoredText(entry)) as ManifestEntry));
}

interface Opened {
  readonly writer: PoolClient | undefined;
  readonly manifest: Manifest;
  readonly temporary: string;
}

/** Rows that one statement writes or fetches. */
const statementRows = 5000;

class PostgresStore implements Store {
  readonly archive: Archive;
  readonly #database: Database;
  readonly #writer: PoolClient | undefined;
  readonly #temporary: string;
  #manifest: Manifest;
  #engine: Promise<Engine> | undefined;

  constructor(database: Database, { writer, manifest, temporary }: Opened) {
    this.#database = database;
    this.#writer = writer;
    this.#manifest = manifest;
    this.#temporary = temporary;
    this.archive = postgresArchive(database);
  }

  get state(): StoreState {
    return this.#manifest.state;
  }

  firstOf(table: TableName): number | undefined {
    const files = this.#manifest.files.filter((file) => file.table === table);
    return files.length === 0 ? undefined : Math.min(...files.map(({ from }) => from));
  }

  readSummed(): SummedUsage | undefined {
    return undefined;
  }

  async *read(table: TableName, { from, to }: ReadFilter = {}): AsyncIterable<readonly Row[]> {
    const { columns } = tables[table];
    const end = "end_ms" in columns ? "end_ms" : "start_ms";
    const conditions = [
      ...(from === undefined ? [] : [`${end} >= ${bound(from)}`]),
      ...(to === undefined ? [] : [`start_ms < ${bound(to)}`]),
    ];
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    yield* this.#stream(table, `SELECT ${listOf(table)} FROM ${this.#database.schema}.${table}${where}`);
  }

  /** Rows through a cursor: all of them are those of one moment, and few are in memory. */
  async *#stream(table: TableName, sql: string): AsyncIterable<readonly Row[]> {
    const types = Object.values(tables[table].columns);
    const client = await this.#connect();
    try {
      if ((await versionOf(client, this.#database.schema)) === undefined) return;
      await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await client.query(`DECLARE found NO SCROLL CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await client.query<string[]>({ text: `FETCH ${statementRows} FROM found`, rowMode: "array" });
        if (rows.length > 0) yield rows.map((cells) => toRow(cells, types));
        if (rows.length < statementRows) return;
      }
    } catch (cause) {
      throw databaseError(cause, this.#database);
    } finally {
      const isBroken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      client.release(isBroken);
    }
  }

  #connect(): Promise<PoolClient> {
    return this.#database.pool.connect().catch((cause: unknown) => {
      throw databaseError(cause, this.#database);
    });
  }

  findUsage(identities: readonly { source: string; id: string }[]): Promise<readonly Row[]> {
    return this.#find(identities, "u.id = k.id");
  }

  findCorrections(identities: readonly { source: string; id: string }[]): Promise<readonly Row[]> {
    return this.#find(identities, "u.corrects = k.id AND u.corrects <> ''");
  }

  async #find(identities: readonly { source: string; id: string }[], on: string): Promise<readonly Row[]> {
    if (identities.length === 0) return [];
    const names = Object.keys(tables.usage.columns).map((name) => `u.${name}`);
    const sql = `SELECT ${names.join(",")} FROM ${this.#database.schema}.usage u JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t(source, id)) k ON u.source = k.source AND ${on}`;
    const types = Object.values(tables.usage.columns);
    const values = [identities.map(({ source }) => toStoredText(source)), identities.map(({ id }) => toStoredText(id))];
    return inTransaction(this.#database, async (client) => {
      if ((await versionOf(client, this.#database.schema)) === undefined) return [];
      const { rows } = await client.query<string[]>({ text: sql, values, rowMode: "array" });
      return rows.map((cells) => toRow(cells, types));
    });
  }

  async commit(commit: Commit): Promise<number> {
    if (this.#writer === undefined) throw new MeterError("Locked", "the store is open for reading only");
    const { at, rows, remove = [], ...changes } = commit;
    const batch = this.state.batch + 1;
    const { schema } = this.#database;
    let removed = 0;
    await this.#onWriter(async (client) => {
      await prepareSchema(client, this.#database);
      for (const removal of remove) removed += await this.#remove(client, removal);
      const files: DataFile[] = [];
      for (const { table, rows: own } of rows) {
        if (own.length > 0) files.push(await this.#insert(client, { table, rows: own, batch }));
      }
      const entry: ManifestEntry = { version: 1, batch, at: new Date(at).toISOString(), files, ...changes };
      await client.query(`INSERT INTO ${schema}.batches VALUES ($1, $2)`, [batch, toStoredText(JSON.stringify(entry))]);
    });
    this.#manifest = await readState(this.#database);
    return removed;
  }

  /** A transaction of the connection that holds the lock: without the lock nothing is written. */
  async #onWriter(run: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = this.#writer;
    if (client === undefined) return;
    try {
      await client.query("BEGIN");
      await run(client);
      await client.query("COMMIT");
    } catch (cause) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw databaseError(cause, this.#database);
    }
  }

  async #insert(
    client: PoolClient,
    { table, rows, batch }: { readonly table: TableName; readonly rows: readonly Row[]; readonly batch: number },
  ): Promise<DataFile> {
    const columns = Object.entries(tables[table].columns);
    const names = columns.map(([name]) => name);
    const parameters = columns.map(([, type], at) => `$${at + 1}::${arrayTypes[type]}`);
    const sql = `INSERT INTO ${this.#database.schema}.${table} (${names.join(",")}) SELECT * FROM unnest(${parameters.join(",")})`;
    for (let at = 0; at < rows.length; at += statementRows) {
      const part = rows.slice(at, at + statementRows);
      const values = columns.map(([, type], column) => part.map((row) => toParameter(row[column] ?? "", type)));
      await client.query({ name: `insert ${table}`, text: sql, values });
    }
    const endColumn = Math.max(names.indexOf("end_ms"), names.indexOf("start_ms"));
    const startColumn = names.indexOf("start_ms");
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of rows) {
      from = Math.min(from, Number(row[startColumn]));
      to = Math.max(to, Number(row[endColumn]));
    }
    return { table, path: `${table}/batch-${batch}`, rows: rows.length, sha256: "", from, to };
  }

  async #remove(client: PoolClient, { table, isRemoved }: Removal): Promise<number> {
    const types = Object.values(tables[table].columns);
    const places: string[] = [];
    await client.query(
      `DECLARE removing NO SCROLL CURSOR FOR SELECT ctid::text, ${listOf(table)} FROM ${this.#database.schema}.${table}`,
    );
    for (;;) {
      const { rows } = await client.query<string[]>({ text: `FETCH ${statementRows} FROM removing`, rowMode: "array" });
      for (const [place = "", ...cells] of rows) if (isRemoved(toRow(cells, types))) places.push(place);
      if (rows.length < statementRows) break;
    }
    await client.query("CLOSE removing");
    if (places.length > 0)
      await client.query(`DELETE FROM ${this.#database.schema}.${table} WHERE ctid = ANY($1::tid[])`, [places]);
    return places.length;
  }

  /** The server keeps its files whole; every committed batch must be there. */
  async verify(): Promise<readonly string[]> {
    const rows = await rowsOf<{ n: string }>(
      this.#database,
      `SELECT count(*) AS n FROM ${this.#database.schema}.batches`,
    );
    const found = Number(rows[0]?.n ?? 0);
    return found === this.state.batch ? [] : [`${this.state.batch - found} batches are missing`];
  }

  async query(sql: string, relations: readonly Relation[], limits: QueryLimits): Promise<QueryResult> {
    return runQuery(await openEngine({ temporary: this.#temporary }), { sql, relations, limits });
  }

  #local(): Promise<Engine> {
    this.#engine ??= openEngine({ temporary: this.#temporary });
    return this.#engine;
  }

  async writeParquet(path: string, relation: Relation): Promise<void> {
    await writeParquetFile(await this.#local(), path, relation);
  }

  async *readParquet(path: string): AsyncIterable<{ readonly [name: string]: unknown }> {
    yield* readParquetFile(await this.#local(), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#engine !== undefined) {
      const { connection, instance } = await this.#engine;
      connection.closeSync();
      instance.closeSync();
    }
    this.#writer?.release(true);
    await this.#database.pool.end();
  }
}

function listOf(table: TableName): string {
  return Object.keys(tables[table].columns).join(",");
}

const arrayTypes: { readonly [type in ColumnType]: string } = {
  text: "text[]",
  integer: "bigint[]",
  amount: "numeric[]",
};

/** An instant that fits the type of the column. */
function bound(instant: number): number {
  return Math.trunc(Math.min(Math.max(instant, -9e15), 9e15));
}

function toParameter(value: Value, type: ColumnType): string {
  if (type === "text") return toStoredText(String(value));
  if (type === "integer") return String(value);
  const amount = BigInt(value);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Cells are texts as the server prints them. */
function toRow(cells: readonly string[], types: readonly ColumnType[]): Row {
  return types.map((type, at): Value => {
    const cell = cells[at] ?? "";
    if (type === "text") return fromStoredText(cell);
    return type === "integer" ? Number(cell) : BigInt(cell.replace(".", ""));
  });
}
