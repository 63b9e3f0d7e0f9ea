/** Notices that the files of a database were removed or replaced while it is open: what is written to them then would be lost. */
import { statSync } from "node:fs";
import { StatusError, toFailure } from "@capstan/model";

/** The files of an open database. */
export class FilesInPlace {
  readonly #files: readonly { readonly path: string; readonly inode: number | undefined }[];

  /** The database at a path and its write-ahead log, as they are now. */
  constructor(path: string) {
    this.#files = [path, `${path}-wal`].map((file) => ({ path: file, inode: inodeOf(file) }));
  }

  /** Throws a StatusError if a file is gone or another one. */
  check(): void {
    for (const { path, inode } of this.#files) if (inodeOf(path) !== inode) throw filesLost(path);
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function filesLost(path: string): StatusError {
  const message =
    `the file ${path} was removed or replaced while the server runs: no change can be kept, and nothing was changed; ` +
    "read what you need, stop the server, and start it on a backup of its folder";
  return new StatusError(toFailure({ code: 500, reason: "InternalError", message }));
}
