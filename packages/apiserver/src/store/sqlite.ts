/** Persists a store in an SQLite database: acknowledged writes survive a crash at any time. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StatusError } from "@capstan/model";
import type { ResourceName } from "../builtin/context.ts";
import type { Change } from "./collection.ts";
import { DataFolderError, type DataFolderErrorCode } from "./data-folder-error.ts";
import { diskRefused, DiskSpace } from "./disk-space.ts";
import type { Entry } from "./entry.ts";
import { FilesInPlace } from "./files-in-place.ts";
import { isDatabaseLost, lostDatabase } from "./lost-database.ts";
import { keepReserve } from "./reserve.ts";
import { addChecksums, damageOf, readRevision, readRows, rowWriter, tables, toEntry, type RowWriter } from "./rows.ts";
import type { Journal, Snapshot, Undo } from "./store.ts";

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

/** Opens or creates the database of a folder, readable by its owner only: it contains every Secret. */
export function openJournal(
  folder: string,
  open: (path: string) => DatabaseSync = (path) => new DatabaseSync(path),
): OpenedJournal {
  const database = openAlone(folder, open);
  const snapshot = readSnapshot(database, folder);
  const journal = new SqliteJournal(database, folder);
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
  if (isDatabaseLost(folder)) throw new DataFolderError("Damaged", folder, new Error(lostDatabase));
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
    database.exec(tables);
    addChecksums(database);
    keepReserve(database);
    // Detects a disk without space now: a server that cannot write would start and fail every request.
    database.exec("INSERT INTO state VALUES ('opened', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1");
  } catch (error) {
    database.close();
    throw new DataFolderError(reasonOf(error), folder, error);
  }
  return database;
}

/** Step by step: where folders cannot be created (`/proc`), Node's recursive mkdir never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function reasonOf(error: unknown): DataFolderErrorCode {
  switch (sqliteCode(error)) {
    case codes.busy:
      return "InUse";
    case codes.corrupt:
    case codes.notDatabase:
      return "Damaged";
    default:
      return "Unusable";
  }
}

/** Result codes of SQLite. */
const codes = { busy: 5, corrupt: 11, notDatabase: 26 } as const;

/** Extended codes use the higher bits. */
function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
}

/** The number of damaged objects that the error names. */
const shown = 3;

/** A damaged object would make every list of its resource fail, so the server does not start. */
function readSnapshot(database: DatabaseSync, folder: string): Snapshot {
  const resources = new Map<ResourceName, Entry[]>();
  const damaged: string[] = [];
  try {
    const stored = readRevision(database);
    for (const row of readRows(database)) {
      const damage = damageOf(row);
      if (damage !== undefined) damaged.push(`${row.resource} ${row.key} (${damage})`);
      const entries = resources.get(row.resource) ?? [];
      resources.set(row.resource, entries);
      entries.push(toEntry(row));
    }
    if (damaged.length > 0) throw new Error(sentenceOf(damaged));
    return { revision: stored === 0 ? 0 : stored + revisionGap, resources };
  } catch (error) {
    database.close();
    throw new DataFolderError("Damaged", folder, error);
  }
}

function sentenceOf(damaged: readonly string[]): string {
  const more = damaged.length > shown ? ` and ${damaged.length - shown} more` : "";
  return `${damaged.length === 1 ? "one object" : `${damaged.length} objects`}: ${damaged.slice(0, shown).join(", ")}${more}`;
}

interface Pending {
  readonly resource: ResourceName;
  readonly change: Change;
}

/** Changes of one event loop iteration are committed together; waiting requests continue when they are on disk. */
class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #rows: RowWriter;
  readonly #space: DiskSpace;
  readonly #files: FilesInPlace;
  #undo: Undo = () => {};
  #pending: Pending[] = [];
  #commit: { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } | undefined;

  constructor(database: DatabaseSync, folder: string) {
    this.#database = database;
    this.#rows = rowWriter(database);
    this.#space = new DiskSpace(database, folder);
    this.#files = new FilesInPlace(join(folder, "capstan.db"));
  }

  whenRejected(undo: Undo): void {
    this.#undo = undo;
  }

  admit(growth: number): void {
    this.#space.admit(growth);
  }

  write(resource: ResourceName, change: Change): void {
    this.#pending.push({ resource, change });
    if (this.#commit !== undefined) return;
    this.#commit = Promise.withResolvers<void>();
    // Writes of the server itself may have no waiting caller.
    this.#commit.promise.catch(() => {});
    setImmediate(() => this.flush());
  }

  settled(): Promise<void> | undefined {
    return this.#commit?.promise;
  }

  /** Writes all pending changes in one transaction. If the disk rejects them, the store takes them back. */
  flush(): void {
    const commit = this.#commit;
    const pending = this.#pending;
    this.#commit = undefined;
    this.#pending = [];
    if (pending.length === 0) return;
    try {
      this.#files.check();
      this.#transact(() => {
        for (const one of pending) this.#store(one);
        this.#rows.setRevision(pending.at(-1)?.change.revision ?? 0);
      });
      commit?.resolve();
    } catch (error) {
      this.#undo(pending);
      this.#freeLog();
      commit?.reject(error instanceof StatusError ? error : diskRefused(error));
    }
    this.#space.look();
  }

  replace({ revision, resources }: Snapshot): void {
    this.#transact(() => {
      this.#database.exec("DELETE FROM objects");
      for (const [resource, entries] of resources)
        for (const { key, revision: at, json } of entries) this.#rows.put({ resource, key, revision: at, json });
      this.#rows.setRevision(revision);
    });
    this.#pending = [];
  }

  #transact(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** The next commit overwrites the write-ahead log from its start instead of growing it. */
  #freeLog(): void {
    try {
      this.#database.exec("PRAGMA wal_checkpoint(RESTART)");
    } catch {
      // The disk rejects this as well; the next commit reports it.
    }
  }

  #store({ resource, change }: Pending): void {
    const { key, revision } = change;
    if (change.type === "DELETED") this.#rows.remove(resource, key);
    else this.#rows.put({ resource, key, revision, json: change.entry.json });
  }
}
