/** Persists a store in an SQLite database: acknowledged writes survive a crash at any time. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ResourceName } from "../builtin/context.ts";
import { Entry, toLine } from "./entry.ts";
import { DataFolderError } from "./data-folder-error.ts";
import { keepReserve } from "./reserve.ts";
import type { Journal, Snapshot } from "./store.ts";

/** A journal with its current content. */
export interface OpenedJournal {
  readonly journal: Journal;
  readonly snapshot: Snapshot;
  readonly isEmpty: boolean;
  close(): void;
}

/**
 * After a crash, clients may have seen revisions that were never acknowledged and are lost. New revisions start beyond them, so that a
 * revision never names two states. Old watches must list again.
 */
const revisionGap = 10_000;

/** The opener has an exclusive lock until its process ends: two servers on one folder would overwrite each other's state. */
const alone = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  BEGIN EXCLUSIVE;
  COMMIT;
`;

const schema = `
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS objects (
    resource TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (resource, key)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`;

/** Opens or creates the database of a folder, readable by its owner only: it contains every Secret. */
export function openJournal(
  folder: string,
  open: (path: string) => DatabaseSync = (path) => new DatabaseSync(path),
): OpenedJournal {
  const database = openAlone(folder, open);
  const snapshot = readSnapshot(database);
  const journal = new SqliteJournal(database);
  return {
    journal,
    snapshot,
    isEmpty: snapshot.revision === 0,
    close() {
      journal.flush();
      database.close();
    },
  };
}

function openAlone(folder: string, open: (path: string) => DatabaseSync): DatabaseSync {
  const path = join(folder, "capstan.db");
  try {
    makeFolder(folder);
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw new DataFolderError("Unusable", folder, error);
  }
  const database = open(path);
  try {
    database.exec(alone);
    database.exec(schema);
    keepReserve(database);
    // Detects a disk without space now: a server that cannot write would start and fail every request.
    database.exec("INSERT INTO state VALUES ('opened', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1");
  } catch (error) {
    database.close();
    throw new DataFolderError(isLocked(error) ? "InUse" : "Unusable", folder, error);
  }
  return database;
}

/** Step by step: where folders cannot be created (`/proc`), Node's recursive mkdir never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** SQLITE_BUSY; its extended codes use the higher bits. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}

function readSnapshot(database: DatabaseSync): Snapshot {
  const [row] = database.prepare("SELECT value FROM state WHERE name = 'revision'").all();
  const stored = Number(row?.["value"] ?? 0);
  const resources = new Map<ResourceName, Entry[]>();
  for (const found of database
    .prepare("SELECT resource, key, revision, json FROM objects ORDER BY resource, key")
    .iterate()) {
    const resource = String(found["resource"]);
    let entries = resources.get(resource);
    if (entries === undefined) resources.set(resource, (entries = []));
    entries.push(new Entry(String(found["key"]), Number(found["revision"]), toLine(String(found["json"]))));
  }
  return { revision: stored === 0 ? 0 : stored + revisionGap, resources };
}

interface Pending {
  readonly resource: ResourceName;
  readonly key: string;
  readonly revision: number;
  /** Absent for a deletion. */
  readonly json: string | undefined;
}

/** Changes of one event loop iteration are committed together; waiting requests continue when they are on disk. */
class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #count: StatementSync;
  #pending: Pending[] = [];
  #failure: Error | undefined;
  #commit: { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#put = database.prepare(
      "INSERT INTO objects (resource, key, revision, json) VALUES (?, ?, ?, ?) " +
        "ON CONFLICT (resource, key) DO UPDATE SET revision = excluded.revision, json = excluded.json",
    );
    this.#remove = database.prepare("DELETE FROM objects WHERE resource = ? AND key = ?");
    this.#count = database.prepare(
      "INSERT INTO state (name, value) VALUES ('revision', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
  }

  write(...[resource, change]: Parameters<Journal["write"]>): void {
    const json = change.type === "DELETED" ? undefined : change.entry.json;
    this.#pending.push({ resource, key: change.key, revision: change.revision, json });
    if (this.#commit !== undefined) return;
    this.#commit = Promise.withResolvers<void>();
    // Writes of the server itself may have no waiting caller.
    this.#commit.promise.catch(() => {});
    setImmediate(() => this.flush());
  }

  settled(): Promise<void> | undefined {
    return this.#commit?.promise;
  }

  failure(): Error | undefined {
    if (this.#failure !== undefined) this.flush();
    return this.#failure;
  }

  /**
   * Writes all pending changes in one transaction. Changes that the disk rejects stay pending, because the store already contains them:
   * the next attempt writes them first.
   */
  flush(): void {
    const commit = this.#commit;
    this.#commit = undefined;
    if (this.#pending.length === 0) return;
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const change of this.#pending) this.#store(change);
      this.#count.run(this.#pending.at(-1)?.revision ?? 0);
      this.#database.exec("COMMIT");
      this.#pending = [];
      this.#failure = undefined;
      commit?.resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      this.#failure = error instanceof Error ? error : new Error(String(error));
      commit?.reject(error);
    }
  }

  replace({ revision, resources }: Snapshot): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      this.#database.exec("DELETE FROM objects");
      for (const [resource, entries] of resources)
        for (const entry of entries) this.#put.run(resource, entry.key, entry.revision, entry.json);
      this.#count.run(revision);
      this.#database.exec("COMMIT");
      this.#pending = [];
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #store({ resource, key, revision, json }: Pending): void {
    if (json === undefined) this.#remove.run(resource, key);
    else this.#put.run(resource, key, revision, json);
  }
}
