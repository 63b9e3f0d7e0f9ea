/** Decides which changes a nearly full disk still takes: the reserved space is for deletions and for changes that do not grow an object. */
import { statfsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StatusError, toFailure } from "@capstan/model";
import { freeBytes, keepReserve, reserve } from "./reserve.ts";

/** An object may grow by this many bytes: a deletion first sets a timestamp, and a lease changes its holder. */
const smallGrowth = 1024;

/** The space of a database. */
export class DiskSpace {
  readonly #database: DatabaseSync;
  readonly #folder: string;
  #isTight: boolean;

  constructor(database: DatabaseSync, folder: string) {
    this.#database = database;
    this.#folder = folder;
    this.#isTight = freeBytes(database) < reserve / 2;
  }

  /** Looks at the space again, after a commit or a failed one. */
  look(): void {
    if (freeBytes(this.#database) >= reserve / 2) {
      this.#isTight = false;
      return;
    }
    if (this.#hasRoom()) keepReserve(this.#database);
    this.#isTight = freeBytes(this.#database) < reserve / 2;
  }

  /** Throws if only the reserve is left and a change would use it up. */
  admit(growth: number): void {
    if (!this.#isTight || growth <= smallGrowth) return;
    this.look();
    if (this.#isTight) throw diskFull();
  }

  /** Writing the reserve to a disk that is full anyway would use the last space of others. */
  #hasRoom(): boolean {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize > 3 * reserve;
  }
}

function diskFull(): StatusError {
  const message =
    "the disk of the server is full: it takes only deletions and changes that do not grow an object until there is space again; " +
    "delete objects, or free space on the disk";
  return new StatusError(toFailure({ code: 500, reason: "InternalError", message }));
}

/** The error of a write that the disk rejected. */
export function diskRefused(error: unknown): StatusError {
  const why = error instanceof Error ? error.message : String(error);
  const message = `the disk of the server rejects the change (${why}): nothing was changed; free space on the disk, or delete objects, and try again`;
  return new StatusError(toFailure({ code: 500, reason: "InternalError", message }));
}
