/** A folder that cannot hold the state of a server. */

/**
 * `InUse`: another server uses it. `Unusable`: it cannot be created, read or written, or contains something else. `Damaged`: what is in it
 * was changed by something else than a server.
 */
export type DataFolderErrorCode = "InUse" | "Unusable" | "Damaged";

/** Names the folder and the remedy. */
export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
  readonly code: DataFolderErrorCode;
  readonly folder: string;

  constructor(code: DataFolderErrorCode, folder: string, cause: unknown) {
    super(sentence(code, folder, cause instanceof Error ? cause.message : String(cause)), { cause });
    this.code = code;
    this.folder = folder;
  }
}

function sentence(code: DataFolderErrorCode, folder: string, why: string): string {
  switch (code) {
    case "InUse":
      return `another server keeps its state in ${folder}; stop that one, or name another folder`;
    case "Unusable":
      return `${folder} cannot hold the state of a server: ${why}`;
    case "Damaged":
      return `the state in ${folder} is damaged: ${why}; see what is lost with \`capstan cluster fsck --data ${folder}\`, and repair it with --repair`;
  }
}
