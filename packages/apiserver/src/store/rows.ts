/** The rows of the database: one per object, each with a checksum, so that a damaged object is found before it is served. */
import { crc32 } from "node:zlib";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Entry, toLine } from "./entry.ts";

/** The tables. Folders of earlier versions have no checksums until `addChecksums`. */
export const tables = `
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS objects (
    resource TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (resource, key)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

/** One object as it is stored. */
export interface Row {
  readonly resource: string;
  readonly key: string;
  readonly revision: number;
  readonly json: string;
  /** `null` in folders of earlier versions. */
  readonly checksum: number | null;
}

/** The checksum covers the place of an object too: a row must not appear under another name. */
export function checksumOf({ resource, key, revision, json }: Omit<Row, "checksum">): number {
  return crc32(json, crc32(`${resource}\0${key}\0${revision}\0`));
}

/** Why a row is damaged; `undefined` if it is not. */
export function damageOf(row: Row): string | undefined {
  if (row.checksum !== null) return row.checksum === checksumOf(row) ? undefined : "its checksum does not match";
  try {
    JSON.parse(row.json);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A row as an entry of the store. */
export function toEntry({ key, revision, json }: Row): Entry {
  return new Entry(key, revision, toLine(json));
}

/** Reads all rows in the order of resource and key. Throws the error of SQLite where a page is damaged. */
export function* readRows(database: DatabaseSync, order: "ASC" | "DESC" = "ASC"): Generator<Row> {
  const sum = hasChecksums(database) ? "checksum" : "NULL AS checksum";
  const select = `SELECT resource, key, revision, json, ${sum} FROM objects ORDER BY resource ${order}, key ${order}`;
  for (const found of database.prepare(select).iterate()) yield toRow(found);
}

function toRow(found: Record<string, unknown>): Row {
  const { resource, key, revision, json, checksum } = found;
  return {
    resource: String(resource),
    key: String(key),
    revision: Number(revision),
    json: String(json),
    checksum: checksum === null ? null : Number(checksum),
  };
}

/** The revision of the last change; 0 for an empty database. */
export function readRevision(database: DatabaseSync): number {
  const [row] = database.prepare("SELECT value FROM state WHERE name = 'revision'").all();
  return Number(row?.["value"] ?? 0);
}

/** Adds the checksums of sound rows to a database of an earlier version. */
export function addChecksums(database: DatabaseSync): void {
  if (hasChecksums(database)) return;
  database.exec("BEGIN IMMEDIATE; ALTER TABLE objects ADD COLUMN checksum INTEGER");
  const rows = [...readRows(database)].filter((row) => damageOf(row) === undefined);
  const set = database.prepare("UPDATE objects SET checksum = ? WHERE resource = ? AND key = ?");
  for (const row of rows) set.run(checksumOf(row), row.resource, row.key);
  database.exec("COMMIT");
}

function hasChecksums(database: DatabaseSync): boolean {
  return database
    .prepare("PRAGMA table_info(objects)")
    .all()
    .some(({ name }) => name === "checksum");
}

/** Writes rows. */
export interface RowWriter {
  put(row: Omit<Row, "checksum">): void;
  remove(resource: string, key: string): void;
  setRevision(revision: number): void;
}

export function rowWriter(database: DatabaseSync): RowWriter {
  const put: StatementSync = database.prepare(
    "INSERT INTO objects (resource, key, revision, json, checksum) VALUES (?, ?, ?, ?, ?) ON CONFLICT (resource, key) " +
      "DO UPDATE SET revision = excluded.revision, json = excluded.json, checksum = excluded.checksum",
  );
  const remove = database.prepare("DELETE FROM objects WHERE resource = ? AND key = ?");
  const count = database.prepare(
    "INSERT INTO state (name, value) VALUES ('revision', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    put: (row) => void put.run(row.resource, row.key, row.revision, row.json, checksumOf(row)),
    remove: (resource, key) => void remove.run(resource, key),
    setRevision: (revision) => void count.run(revision),
  };
}
