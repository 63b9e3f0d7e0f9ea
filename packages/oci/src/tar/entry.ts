/** The entries of a tar archive. */

export type EntryType = "file" | "directory" | "symlink" | "link" | "character" | "block" | "fifo";

/** One entry of an archive, without its bytes. Times are whole seconds since 1970. */
export interface Entry {
  readonly path: string;
  readonly type: EntryType;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
  /** The target of a symlink or a hard link. */
  readonly target: string;
  readonly major: number;
  readonly minor: number;
  /** Extended attributes, from pax records. */
  readonly attributes: { readonly [name: string]: string };
}

export const blockSize = 512;

/** The padding to the next block. */
export function padding(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}
