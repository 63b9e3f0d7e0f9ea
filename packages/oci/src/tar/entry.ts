/** What a tar archive is made of. */

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
  /** Where a symlink or a hard link points to. */
  readonly target: string;
  readonly major: number;
  readonly minor: number;
  /** Extended attributes, as pax records carry them. */
  readonly attributes: { readonly [name: string]: string };
}

export const blockSize = 512;

/** What to add so that entries begin at a block. */
export function padding(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}
