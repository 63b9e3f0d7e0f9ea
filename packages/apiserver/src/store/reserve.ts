/**
 * Room that a database keeps for itself: pages that it owns and does not use. When somebody fills the disk, objects can still be written
 * for a while, above all the deletion of whatever fills it.
 */
import type { DatabaseSync } from "node:sqlite";

/** Thousands of small writes. The log of the database keeps as much again: it is written from its beginning, and never made shorter. */
const RESERVE = 8 * 2 ** 20;

/** Sees to it that the room is there; a disk that has none to give goes without. */
export function keepReserve(database: DatabaseSync): void {
  if (freeBytes(database) >= RESERVE / 2) return;
  try {
    database.exec(`
      CREATE TABLE reserve (room BLOB);
      INSERT INTO reserve VALUES (zeroblob(${RESERVE}));
      PRAGMA wal_checkpoint(FULL);
      DROP TABLE reserve;
      PRAGMA wal_checkpoint(FULL);
    `);
  } catch {
    database.exec("DROP TABLE IF EXISTS reserve");
  }
}

/** How many bytes the database owns and does not use. */
export function freeBytes(database: DatabaseSync): number {
  const pragma = (name: string): number => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  return pragma("freelist_count") * pragma("page_size");
}
