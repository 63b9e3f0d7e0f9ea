/** A store in a folder: Parquet files by day, written and read by DuckDB, and a manifest that says which of them exist. */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scheduler } from "node:timers/promises";
import type { DuckDBAppender } from "@duckdb/node-api";
import { MeterError } from "../error.ts";
import type { Archive } from "./archive.ts";
import { folderArchive } from "./folder-archive.ts";
import { type Engine, literal, openEngine } from "./engine.ts";
import { type Lock, type LockOptions, takeLock } from "./lock.ts";
import { type DataFile, type Manifest, appendEntry, hashFile, readManifest } from "./manifest.ts";
import { runQuery } from "./query.ts";
import {
  type Precision,
  type SummedFilter,
  type SummedRow,
  filesOf,
  mostStretches,
  restCondition,
  sumSql,
} from "./summed.ts";
import { readParquetFile, writeParquetFile } from "./parquet.ts";
import type {
  Commit,
  QueryLimits,
  QueryResult,
  ReadFilter,
  Relation,
  Removal,
  Store,
  SummedUsage,
  StoreState,
} from "./store.ts";
import { type Row, type TableName, type Value, tables } from "./tables.ts";

const dayLength = 86_400_000;

/** How a folder store is opened. */
export interface FolderStoreOptions {
  /** Present for writers. */
  readonly lock?: LockOptions;
  /** The engine's memory limit. */
  readonly memory?: string;
  /** From so many rows on the engine adds usage up. */
  readonly leastSummed?: number;
}

/** Opens a store in a folder; writers take its lock. */
export async function openFolderStore(
  folder: string,
  options: FolderStoreOptions = {},
): Promise<Store & { readonly folder: string }> {
  const lock = options.lock === undefined ? undefined : await takeLock(folder, options.lock);
  try {
    const manifest = await readManifest(folder);
    return new FolderStore(folder, {
      manifest,
      lock,
      memory: options.memory,
      leastSummed: options.leastSummed ?? 20_000,
    });
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    throw error;
  }
}

interface Opened {
  readonly manifest: Manifest;
  readonly lock: Lock | undefined;
  readonly memory: string | undefined;
  readonly leastSummed: number;
}

class FolderStore implements Store {
  readonly archive: Archive;
  readonly folder: string;
  readonly #lock: Lock | undefined;
  readonly #memory: string | undefined;
  readonly #leastSummed: number;
  #manifest: Manifest;
  #engine: Promise<Engine> | undefined;

  constructor(folder: string, { manifest, lock, memory, leastSummed }: Opened) {
    this.#leastSummed = leastSummed;
    this.folder = folder;
    this.archive = folderArchive(folder, { pid: process.pid, pause: () => scheduler.wait(50) });
    this.#manifest = manifest;
    this.#lock = lock;
    this.#memory = memory;
  }

  get state(): StoreState {
    return this.#manifest.state;
  }

  #open(): Promise<Engine> {
    this.#engine ??= openEngine({
      temporary: join(this.folder, "tmp"),
      ...(this.#memory !== undefined && { memory: this.#memory }),
    });
    return this.#engine;
  }

  #files(table: TableName, { from, to }: ReadFilter = {}): readonly DataFile[] {
    return this.#manifest.files.filter(
      (file) => file.table === table && (from === undefined || file.to >= from) && (to === undefined || file.from < to),
    );
  }

  firstOf(table: TableName): number | undefined {
    const files = this.#files(table);
    return files.length === 0 ? undefined : Math.min(...files.map(({ from }) => from));
  }

  #source(files: readonly DataFile[]): string {
    const paths = files.map(({ path }) => literal(join(this.folder, path)));
    return `read_parquet([${paths.join(",")}], hive_partitioning=false, union_by_name=true)`;
  }

  readSummed(filter: SummedFilter): SummedUsage | undefined {
    const { cuts } = filter;
    const [first, last] = [cuts[0], cuts.at(-1)];
    const files = this.#files("usage", {
      ...(first !== undefined && { from: first }),
      ...(last !== undefined && { to: last }),
    });
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    if (first === undefined || last === undefined || rows < this.#leastSummed || cuts.length > mostStretches)
      return undefined;
    const stretches = cuts.slice(0, -1).map((start, at) => [start, cuts[at + 1] ?? start] as const);
    const columns = Object.keys(tables.usage.columns).join(",");
    return {
      sums: () => this.#sums(files, filter, stretches),
      rest: () => this.#rest(files, { filter, stretches, columns }),
      stretches: async (meter) => {
        const { connection } = await this.#open();
        const sql = `SELECT DISTINCT start_ms, end_ms FROM ${this.#source(files)} WHERE meter = ${literal(meter)} AND end_ms >= ${first} AND start_ms < ${last}`;
        const found = await this.#guard(() => connection.runAndReadAll(sql));
        return found.getRows().map(([start, end]) => ({ start: Number(start), end: Number(end) }));
      },
    };
  }

  async *#sums(
    files: readonly DataFile[],
    filter: SummedFilter,
    stretches: readonly (readonly [number, number])[],
  ): AsyncIterable<readonly SummedRow[]> {
    const { connection } = await this.#open();
    for (const stretch of stretches) {
      const own = filesOf(files, stretch);
      if (own.length === 0) continue;
      const run = (precision: Precision) =>
        connection.runAndReadAll(sumSql(this.#source(own), filter, { stretch, precision }));
      const found = await run("fast").catch(() => this.#guard(() => run("full")));
      yield found.getRows().map((cells) => {
        const [meter = "", tenant = "", namespace = "", cluster = "", dimensions = "", quantity = "0"] =
          cells.map(String);
        const [start, end] = stretch;
        return { meter, start, end, quantity: BigInt(quantity), tenant, namespace, cluster, dimensions };
      });
    }
  }

  async *#rest(
    files: readonly DataFile[],
    {
      filter,
      stretches,
      columns,
    }: { filter: SummedFilter; stretches: readonly (readonly [number, number])[]; columns: string },
  ): AsyncIterable<readonly Row[]> {
    const [first = 0] = filter.cuts;
    const before = files.filter(({ from }) => from < first);
    const select = (own: readonly DataFile[], where: string): string =>
      `SELECT ${columns} FROM ${this.#source(own)} WHERE ${where}`;
    if (before.length > 0) yield* this.#stream(select(before, `start_ms < ${first} AND end_ms > ${first}`), "usage");
    for (const stretch of stretches) {
      const own = filesOf(files, stretch);
      if (own.length > 0) yield* this.#stream(select(own, restCondition(filter, stretch)), "usage");
    }
  }

  async *read(table: TableName, filter: ReadFilter = {}): AsyncIterable<readonly Row[]> {
    const files = this.#files(table, filter);
    if (files.length === 0) return;
    const { columns } = tables[table];
    const end = "end_ms" in columns ? "end_ms" : "start_ms";
    const conditions = [
      ...(filter.from === undefined ? [] : [`${end} >= ${filter.from}`]),
      ...(filter.to === undefined ? [] : [`start_ms < ${filter.to}`]),
    ];
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    yield* this.#stream(`SELECT ${Object.keys(columns).join(",")} FROM ${this.#source(files)}${where}`, table);
  }

  async *#stream(sql: string, table: TableName): AsyncIterable<readonly Row[]> {
    const { connection } = await this.#open();
    const types = Object.values(tables[table].columns);
    const result = await this.#guard(() => connection.stream(sql));
    for (;;) {
      const chunk = await this.#guard(() => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) return;
      const cells = chunk.getColumns();
      yield Array.from({ length: chunk.rowCount }, (_, at) =>
        types.map((type, column) => toValue(cells[column]?.[at], type)),
      );
    }
  }

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      throw new MeterError("Corrupt", `a file of the store cannot be read: ${text}; run capstan meter doctor`, {
        cause,
      });
    }
  }

  findUsage(identities: readonly { source: string; id: string }[]): Promise<readonly Row[]> {
    return this.#join(identities, "u.id = k.id");
  }

  findCorrections(identities: readonly { source: string; id: string }[]): Promise<readonly Row[]> {
    return this.#join(identities, "u.corrects = k.id AND u.corrects <> ''");
  }

  async #join(identities: readonly { source: string; id: string }[], on: string): Promise<readonly Row[]> {
    const files = this.#files("usage");
    if (files.length === 0 || identities.length === 0) return [];
    const { connection } = await this.#open();
    await connection.run("CREATE OR REPLACE TEMP TABLE wanted (source VARCHAR, id VARCHAR)");
    const appender = await connection.createAppender("wanted");
    for (const { source, id } of identities) {
      appender.appendVarchar(source);
      appender.appendVarchar(id);
      appender.endRow();
    }
    appender.closeSync();
    const names = Object.keys(tables.usage.columns).map((name) => `u.${name}`);
    const sql = `SELECT DISTINCT ${names.join(",")} FROM ${this.#source(files)} u JOIN wanted k ON u.source = k.source AND ${on}`;
    const rows: Row[] = [];
    for await (const batch of this.#stream(sql, "usage")) rows.push(...batch);
    return rows;
  }

  async commit(commit: Commit): Promise<number> {
    const batch = this.state.batch + 1;
    try {
      return await this.#commit(commit, batch);
    } catch (cause) {
      throw diskError(cause) ?? cause;
    }
  }

  async #commit(commit: Commit, batch: number): Promise<number> {
    const files: DataFile[] = [];
    const removal = await this.#remove(commit.remove ?? [], `batch-${batch}`);
    for (const { table, rows } of commit.rows) {
      if (rows.length > 0) files.push(...(await this.#write(table, rows, `batch-${batch}`)));
    }
    const { count, removed, kept } = removal;
    await this.#record({
      batch,
      at: new Date(commit.at).toISOString(),
      files: [...kept, ...files],
      ...(removed.length > 0 && { removed }),
      ...changes(commit),
    });
    await Promise.all(removed.map((path) => rm(join(this.folder, path), { force: true })));
    return count;
  }

  /** Writes the files that lose rows again, without these rows. */
  async #remove(removals: readonly Removal[], name: string): Promise<Removed> {
    const found: Removed = { count: 0, removed: [], kept: [] };
    for (const { table, isRemoved } of removals) {
      for (const file of this.#files(table)) {
        const rest: Row[] = [];
        const select = `SELECT ${Object.keys(tables[table].columns).join(",")} FROM ${this.#source([file])}`;
        for await (const rows of this.#stream(select, table)) rest.push(...rows.filter((row) => !isRemoved(row)));
        if (rest.length === file.rows) continue;
        found.count += file.rows - rest.length;
        found.removed.push(file.path);
        if (rest.length > 0) found.kept.push(...(await this.#write(table, rest, `${name}-${found.removed.length}`)));
      }
    }
    return found;
  }

  async #record(entry: Parameters<typeof appendEntry>[1]): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await appendEntry(this.folder, entry);
    this.#manifest = await readManifest(this.folder);
  }

  async #write(table: TableName, rows: readonly Row[], name: string): Promise<DataFile[]> {
    const { connection, module } = await this.#open();
    const columns = Object.entries(tables[table].columns);
    const types = { text: "VARCHAR", integer: "BIGINT", amount: "DECIMAL(38,6)" };
    const declared = columns.map(([column, type]) => `"${column}" ${types[type]}`);
    await connection.run(`CREATE OR REPLACE TEMP TABLE incoming (${declared.join(",")}, dt BIGINT)`);
    const appender = await connection.createAppender("incoming");
    const dayColumn = columns.findIndex(([column]) => column === tables[table].day);
    const days = new Set<number>();
    for (const row of rows) {
      const day = Math.floor(Number(row[dayColumn]) / dayLength);
      days.add(day);
      columns.forEach(([, type], at) => append(appender, { type, value: row[at] ?? "", module }));
      appender.appendBigInt(BigInt(day));
      appender.endRow();
    }
    appender.closeSync();
    const files: DataFile[] = [];
    for (const day of [...days].sort((a, b) => a - b)) files.push(await this.#writeDay(table, day, name));
    return files;
  }

  async #writeDay(table: TableName, day: number, name: string): Promise<DataFile> {
    const { connection } = await this.#open();
    const { columns } = tables[table];
    const path = join(table, `dt=${new Date(day * dayLength).toISOString().slice(0, 10)}`, `${name}.parquet`);
    const whole = join(this.folder, path);
    await mkdir(dirname(whole), { recursive: true });
    const select = `SELECT * EXCLUDE (dt) FROM incoming WHERE dt = ${day}`;
    await connection.run(`COPY (${select}) TO ${literal(`${whole}.tmp`)} (FORMAT parquet, COMPRESSION zstd)`);
    const end = "end_ms" in columns ? "end_ms" : "start_ms";
    const reader = await connection.runAndReadAll(
      `SELECT count(*), min(start_ms), max("${end}") FROM incoming WHERE dt = ${day}`,
    );
    const [rows = 0, from = 0, to = 0] = (reader.getRows()[0] ?? []).map(Number);
    await publish(whole);
    return { table, path, rows, sha256: await hashFile(whole), from, to };
  }

  async verify(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const { path, sha256 } of this.#manifest.files) {
      const found = await hashFile(join(this.folder, path)).catch(() => undefined);
      if (found === undefined) problems.push(`${path} is missing`);
      else if (found !== sha256) problems.push(`${path} was changed: its SHA-256 is not that of the manifest`);
    }
    return problems;
  }

  async query(sql: string, relations: readonly Relation[], limits: QueryLimits): Promise<QueryResult> {
    const engine = await openEngine({ temporary: join(this.folder, "tmp"), memory: this.#memory ?? "512MB" });
    return runQuery(engine, { sql, relations, limits });
  }

  async writeParquet(path: string, relation: Relation): Promise<void> {
    await writeParquetFile(await this.#open(), path, relation);
  }

  async *readParquet(path: string): AsyncIterable<{ readonly [name: string]: unknown }> {
    yield* readParquetFile(await this.#open(), path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#engine !== undefined) {
      const { connection, instance } = await this.#engine;
      connection.closeSync();
      instance.closeSync();
    }
    await this.#lock?.[Symbol.asyncDispose]();
  }
}

function changes({
  watermarks,
  journals,
  bills,
  forgotten,
}: Commit): Pick<Commit, "watermarks" | "journals" | "bills" | "forgotten"> {
  return {
    ...(forgotten !== undefined && { forgotten }),
    ...(watermarks !== undefined && { watermarks }),
    ...(journals !== undefined && { journals }),
    ...(bills !== undefined && { bills }),
  };
}

interface Removed {
  count: number;
  readonly removed: string[];
  readonly kept: DataFile[];
}

interface Cell {
  readonly type: "text" | "integer" | "amount";
  readonly value: Value;
  readonly module: Engine["module"];
}

function append(appender: DuckDBAppender, { type, value, module }: Cell): void {
  switch (type) {
    case "text":
      return appender.appendVarchar(String(value));
    case "integer":
      return appender.appendBigInt(BigInt(value));
    case "amount":
      return appender.appendDecimal(new module.DuckDBDecimalValue(BigInt(value), 38, 6));
  }
}

function toValue(cell: unknown, type: "text" | "integer" | "amount"): Value {
  if (type === "text") return String(cell);
  if (type === "integer") return Number(cell);
  if (typeof cell === "object" && cell !== null && "value" in cell && typeof cell.value === "bigint") return cell.value;
  return 0n;
}

/** The engine says in its message that the disk is full or fails. */
function diskError(cause: unknown): MeterError | undefined {
  const text = cause instanceof Error ? cause.message : "";
  if (!/^IO Error|ENOSPC|EDQUOT|EFBIG/.test(text)) return undefined;
  return new MeterError(
    "Disk",
    `the store cannot be written: ${text}; what was committed before is kept: make room and import again`,
    { cause },
  );
}

/** Syncs a finished temporary file and gives it its name. */
async function publish(path: string): Promise<void> {
  await using file = await open(`${path}.tmp`, "r+");
  await file.sync();
  await rename(`${path}.tmp`, path);
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}
