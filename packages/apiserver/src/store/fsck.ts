/** Checks the data folder of a stopped server, and repairs it: what is damaged is set aside, what is sound is kept. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openAuthority } from "@capstan/pki";
import { DataFolderError } from "./data-folder-error.ts";
import { isDatabaseLost, lostDatabase } from "./lost-database.ts";
import { damageOf, readRevision, readRows, rowWriter, tables, type Row } from "./rows.ts";

/** A damaged object. */
export interface DamagedObject {
  readonly resource: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly why: string;
}

/** The result of a check. */
export interface FolderReport {
  /** The number of sound objects. */
  readonly sound: number;
  readonly damaged: readonly DamagedObject[];
  /** Damage of the database beyond single objects: objects in damaged pages are lost without a trace of their names. */
  readonly pages: readonly string[];
  /** Why the keys and the token of the server cannot be read; `undefined` if they can. */
  readonly keys: string | undefined;
}

/** Whether a check found no damage. */
export function isSound({ damaged, pages, keys }: FolderReport): boolean {
  return damaged.length === 0 && pages.length === 0 && keys === undefined;
}

/** Reads everything and changes nothing. Throws a DataFolderError if a server uses the folder or there is no state in it. */
export function checkDataFolder(folder: string): FolderReport {
  return toReport(inspect(folder));
}

/** The files that a repair replaces keep their content under another name. */
export interface Repair {
  readonly report: FolderReport;
  /** The paths of the replaced files; empty if there was no damage. */
  readonly kept: readonly string[];
}

/** Rebuilds a damaged database from its sound rows, and removes damaged keys. A crash leaves the old or the new state. */
export function repairDataFolder(folder: string): Repair {
  const found = inspect(folder);
  const report = toReport(found);
  const kept: string[] = [];
  if (report.damaged.length > 0 || report.pages.length > 0) kept.push(...rebuild(folder, found));
  if (report.keys !== undefined) kept.push(setAside(folder, "keys.json"));
  return { report, kept };
}

interface Inspection {
  readonly rows: readonly Row[];
  readonly damaged: readonly DamagedObject[];
  readonly pages: readonly string[];
  readonly keys: string | undefined;
  /** 0 if it cannot be read. */
  readonly revision: number;
}

function toReport({ rows, damaged, pages, keys }: Inspection): FolderReport {
  return { sound: rows.length, damaged, pages, keys };
}

function inspect(folder: string): Inspection {
  const path = join(folder, "capstan.db");
  const keys = damageOfKeys(folder);
  if (!existsSync(path)) {
    if (isDatabaseLost(folder)) return { rows: [], damaged: [], pages: [lostDatabase], keys, revision: 0 };
    throw new DataFolderError("Unusable", folder, new Error("there is no capstan.db in it; name the folder of --data"));
  }
  const database = new DatabaseSync(path);
  try {
    lock(database, folder);
    return { ...readAll(database), keys };
  } finally {
    database.close();
  }
}

/** A running server holds the lock until it ends. */
function lock(database: DatabaseSync, folder: string): void {
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    if (textOf(error).includes("locked")) throw new DataFolderError("InUse", folder, error);
    // A damaged header: reading reports it.
  }
}

function readAll(database: DatabaseSync): Omit<Inspection, "keys"> {
  const rows = new Map<string, Row>();
  const damaged = new Map<string, DamagedObject>();
  const pages = new Set<string>();
  const note = (row: Row): void => {
    const { resource, key } = row;
    const why = damageOf(row);
    if (why === undefined) rows.set(`${resource} ${key}`, row);
    else damaged.set(`${resource} ${key}`, { resource, key, why });
  };
  // A damaged page ends a scan: the second one finds what is behind it.
  for (const order of ["ASC", "DESC"] as const) {
    attempt(pages, () => {
      for (const row of readRows(database, order)) note(row);
    });
    if (pages.size === 0) break;
  }
  attempt(pages, () => {
    const [first] = database.prepare("PRAGMA integrity_check(1)").all();
    const said = String(first?.["integrity_check"]);
    if (said !== "ok") pages.add(said);
  });
  let revision = 0;
  attempt(pages, () => (revision = readRevision(database)));
  return { rows: [...rows.values()], damaged: [...damaged.values()], pages: [...pages], revision };
}

function attempt(problems: Set<string>, work: () => void): void {
  try {
    work();
  } catch (error) {
    problems.add(textOf(error));
  }
}

function damageOfKeys(folder: string): string | undefined {
  const path = join(folder, "keys.json");
  if (!existsSync(path)) return undefined;
  try {
    const { token, accountKey, ...authority } = JSON.parse(readFileSync(path, "utf8")) as KeysFile;
    if (typeof token !== "string" || typeof accountKey !== "string") return "a key is missing";
    openAuthority(authority);
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

interface KeysFile {
  readonly token: string;
  readonly accountKey: string;
  readonly certificate: string;
  readonly privateKey: string;
}

function rebuild(folder: string, { rows, revision }: Inspection): string[] {
  const fresh = join(folder, "capstan.db.new");
  rmSync(fresh, { force: true });
  writeFileSync(fresh, "", { mode: 0o600 });
  const database = new DatabaseSync(fresh);
  try {
    database.exec(tables);
    database.exec("BEGIN");
    const writer = rowWriter(database);
    for (const row of rows) writer.put(row);
    const last = rows.reduce((most, row) => Math.max(most, row.revision), revision);
    if (last > 0) writer.setRevision(last);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  const logs = ["capstan.db-wal", "capstan.db-shm"].filter((name) => existsSync(join(folder, name)));
  const files = existsSync(join(folder, "capstan.db")) ? [...logs, "capstan.db"] : logs;
  const kept = files.map((name) => setAside(folder, name));
  renameSync(fresh, join(folder, "capstan.db"));
  return kept;
}

/** Renames a file to the first free name: a second repair keeps the result of the first. */
function setAside(folder: string, name: string): string {
  const path = join(folder, name);
  let count = 1;
  while (existsSync(`${path}.damaged-${count}`)) count++;
  renameSync(path, `${path}.damaged-${count}`);
  return `${path}.damaged-${count}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
