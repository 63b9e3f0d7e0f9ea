/**
 * Reserved space of the database: free pages that it owns. On a full disk, objects can still be written for a while, especially the
 * deletions that free space.
 */
import type { DatabaseSync } from "node:sqlite";

/**
 * Enough for thousands of small writes. The write-ahead log reserves as much again: it is overwritten from its start and never truncated.
 */
export const reserve: number = 8 * 2 ** 20;

/** Reserves the space; does nothing if the disk has none. */
export function keepReserve(database: DatabaseSync): void {
  if (freeBytes(database) >= reserve / 2) return;
  try {
    database.exec(`
      CREATE TABLE reserve (room BLOB);
      INSERT INTO reserve VALUES (zeroblob(${reserve}));
      PRAGMA wal_checkpoint(FULL);
      DROP TABLE reserve;
      PRAGMA wal_checkpoint(FULL);
    `);
  } catch {
    database.exec("DROP TABLE IF EXISTS reserve");
  }
}

/** The number of bytes in free pages of the database. */
export function freeBytes(database: DatabaseSync): number {
  const pragma = (name: string): number => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  return pragma("freelist_count") * pragma("page_size");
}
